// Error codes of the runtime: 107xxx the caller made a mistake, 207xxx
// something ran out or is not supported, 507xxx the device or the runtime
// failed.
#ifndef ACL_ERROR_CODES_RT_ERROR_CODES_H_
#define ACL_ERROR_CODES_RT_ERROR_CODES_H_

#define ACL_RT_SUCCESS 0  // no error

// The caller made a mistake.

// runtime rejected an argument (bad size, flag, freed pointer ...)
#define ACL_ERROR_RT_PARAM_INVALID 107000
#define ACL_ERROR_RT_INVALID_DEVICEID 107001  // device id out of range
// no current context in thread (SetDevice missing)
#define ACL_ERROR_RT_CONTEXT_NULL 107002
// stream belongs to another context
#define ACL_ERROR_RT_STREAM_CONTEXT 107003
#define ACL_ERROR_RT_MODEL_CONTEXT 107004  // graph belongs to another context
// stream is (or is not) bound to a graph as required
#define ACL_ERROR_RT_STREAM_MODEL 107005
// event holds no timestamp
#define ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006
#define ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL 107007  // end before start
#define ACL_ERROR_RT_ADDR_UNALIGNED 107008            // misaligned address
#define ACL_ERROR_RT_FILE_OPEN 107009                 // cannot open file
#define ACL_ERROR_RT_FILE_WRITE 107010                // cannot write file
// stream has (or lacks) callback subscription / mixed callback styles
#define ACL_ERROR_RT_STREAM_SUBSCRIBE 107011
#define ACL_ERROR_RT_THREAD_SUBSCRIBE 107012  // thread not subscribed
#define ACL_ERROR_RT_GROUP_NOT_SET 107013     // group unset
#define ACL_ERROR_RT_GROUP_NOT_CREATE 107014  // group absent
// callback launched on unsubscribed stream
#define ACL_ERROR_RT_STREAM_NO_CB_REG 107015
#define ACL_ERROR_RT_INVALID_MEMORY_TYPE 107016  // wrong memory kind
// stale or foreign handle (magic check failed)
#define ACL_ERROR_RT_INVALID_HANDLE 107017
#define ACL_ERROR_RT_INVALID_MALLOC_TYPE 107018  // wrong allocation policy
#define ACL_ERROR_RT_WAIT_TIMEOUT 107019         // wait expired
#define ACL_ERROR_RT_TASK_TIMEOUT 107020         // task expired
#define ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021  // context option never set
#define ACL_ERROR_RT_DEVICE_TASK_ABORT 107022    // device abort in progress
#define ACL_ERROR_RT_STREAM_ABORT 107023         // stream was aborted
// captured wait on an event with no captured record
#define ACL_ERROR_RT_CAPTURE_DEPENDENCY 107024
// side stream not joined back before CaptureEnd
#define ACL_ERROR_RT_STREAM_UNJOINED 107025
#define ACL_ERROR_RT_MODEL_CAPTURED 107026  // graph still under capture
// operation refused: stream is capturing
#define ACL_ERROR_RT_STREAM_CAPTURED 107027
// operation refused: event was recorded in capture
#define ACL_ERROR_RT_EVENT_CAPTURED 107028
#define ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029  // stream is not capturing
// unsafe call refused by capture mode
#define ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT 107030
// default stream used while capturing
#define ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031
// two dependent streams both began capture
#define ACL_ERROR_STREAM_CAPTURE_CONFLICT 107032
// task group begin/end out of order
#define ACL_ERROR_STREAM_TASK_GROUP_STATUS 107033
#define ACL_ERROR_STREAM_TASK_GROUP_INTR 107034  // task group broken
#define ACL_ERROR_RT_TASK_ABORT_STOP 107035  // abort stopped before post step
// CaptureEnd on a stream that did not begin
#define ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036
#define ACL_ERROR_RT_MODEL_RUNNING 107037  // graph busy
// CaptureEnd from another thread
#define ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038
// caller's array too short
#define ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039
#define ACL_ERROR_RT_MODEL_UPDATE_FAILED 107040  // graph update failed
// pageable async copy refused by capture mode
#define ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041
#define ACL_ERROR_RT_SYMBOL_NOT_FOUND 107042         // symbol absent
#define ACL_ERROR_RT_INVALID_SYMBOL 107043           // not a device symbol
#define ACL_ERROR_RT_INVALID_DEVICE_FUNCTION 107044  // not a kernel
// body graph still under capture
#define ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045

// Something ran out, or is not supported.

// not supported on this chip/mode
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000
#define ACL_ERROR_RT_MEMORY_ALLOCATION 207001  // device memory exhausted
#define ACL_ERROR_RT_MEMORY_FREE 207002        // free failed
// numeric overflow flagged (cube) - reported at sync, not fatal
#define ACL_ERROR_RT_AICORE_OVER_FLOW 207003
#define ACL_ERROR_RT_NO_DEVICE 207004            // no device present
#define ACL_ERROR_RT_RESOURCE_ALLOC_FAIL 207005  // resource exhausted
#define ACL_ERROR_RT_NO_PERMISSION 207006        // permission denied
#define ACL_ERROR_RT_NO_EVENT_RESOURCE 207007    // events exhausted
#define ACL_ERROR_RT_NO_STREAM_RESOURCE 207008   // streams exhausted
#define ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009   // notifies exhausted
#define ACL_ERROR_RT_NO_MODEL_RESOURCE 207010    // graphs exhausted
#define ACL_ERROR_RT_NO_CDQ_RESOURCE 207011      // control queues exhausted
#define ACL_ERROR_RT_OVER_LIMIT 207012           // limit exceeded
#define ACL_ERROR_RT_QUEUE_EMPTY 207013          // nothing to take
#define ACL_ERROR_RT_QUEUE_FULL 207014           // no room to put
#define ACL_ERROR_RT_REPEATED_INIT 207015        // initialised twice
// numeric overflow flagged (vector)
#define ACL_ERROR_RT_AIVEC_OVER_FLOW 207016
#define ACL_ERROR_RT_OVER_FLOW 207017  // numeric overflow flagged
// device memory exhausted while executing
#define ACL_ERROR_RT_DEVICE_OOM 207018
// this op cannot be updated in a task group
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP 207019
#define ACL_ERROR_RT_TIMEOUT 207020                  // driver timed out
#define ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED 207021  // bad link choice

// The device or the runtime failed.

// internal failure / object in wrong state
#define ACL_ERROR_RT_INTERNAL_ERROR 507000
#define ACL_ERROR_RT_TS_ERROR 507001             // scheduler internal failure
#define ACL_ERROR_RT_STREAM_TASK_FULL 507002     // stream queue full
#define ACL_ERROR_RT_STREAM_TASK_EMPTY 507003    // no task in queue
#define ACL_ERROR_RT_STREAM_NOT_COMPLETE 507004  // stream not drained
// data exhausted (model with data queue); passes through sync
#define ACL_ERROR_RT_END_OF_SEQUENCE 507005
#define ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006  // event not executed
// reset/destroy of something not set or already released
#define ACL_ERROR_RT_CONTEXT_RELEASE_ERROR 507007
#define ACL_ERROR_RT_SOC_VERSION 507008            // chip name unknown
#define ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT 507009  // unknown task kind
#define ACL_ERROR_RT_LOST_HEARTBEAT 507010         // device stopped responding
#define ACL_ERROR_RT_MODEL_EXECUTE 507011          // graph execution failed
// ProcessReport found nothing in time
#define ACL_ERROR_RT_REPORT_TIMEOUT 507012
#define ACL_ERROR_RT_SYS_DMA 507013                // DMA failed
#define ACL_ERROR_RT_AICORE_TIMEOUT 507014         // core kernel ran too long
#define ACL_ERROR_RT_AICORE_EXCEPTION 507015       // core kernel faulted
#define ACL_ERROR_RT_AICORE_TRAP_EXCEPTION 507016  // core kernel trap
#define ACL_ERROR_RT_AICPU_TIMEOUT 507017          // AI CPU kernel ran too long
#define ACL_ERROR_RT_AICPU_EXCEPTION 507018        // AI CPU kernel faulted
#define ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR 507019  // AI CPU dump failed
// AI CPU model command failed
#define ACL_ERROR_RT_AICPU_MODEL_RSP_ERR 507020
#define ACL_ERROR_RT_PROFILING_ERROR 507021     // profiler call failed
#define ACL_ERROR_RT_IPC_ERROR 507022           // inter-process call failed
#define ACL_ERROR_RT_MODEL_ABORT_NORMAL 507023  // graph aborted on request
// kernel binary being unloaded
#define ACL_ERROR_RT_KERNEL_UNREGISTERING 507024
#define ACL_ERROR_RT_RINGBUFFER_NOT_INIT 507025  // device error ring absent
#define ACL_ERROR_RT_RINGBUFFER_NO_DATA 507026   // device error ring empty
#define ACL_ERROR_RT_KERNEL_LOOKUP 507027     // kernel name/entry not in binary
#define ACL_ERROR_RT_KERNEL_DUPLICATE 507028  // kernel registered twice
#define ACL_ERROR_RT_DEBUG_REGISTER_FAIL 507029  // debug registration failed
// debug de-registration failed
#define ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL 507030
#define ACL_ERROR_RT_LABEL_CONTEXT 507031          // label of another context
#define ACL_ERROR_RT_PROGRAM_USE_OUT 507032        // too many kernel binaries
#define ACL_ERROR_RT_DEV_SETUP_ERROR 507033        // device start failed
#define ACL_ERROR_RT_VECTOR_CORE_TIMEOUT 507034    // vector kernel ran too long
#define ACL_ERROR_RT_VECTOR_CORE_EXCEPTION 507035  // vector kernel faulted
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION 507036  // vector kernel trap
#define ACL_ERROR_RT_CDQ_BATCH_ABNORMAL 507037     // control queue batch failed
#define ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR 507038  // die mode cannot change
#define ACL_ERROR_RT_DIE_SET_ERROR 507039          // die choice refused
#define ACL_ERROR_RT_INVALID_DIEID 507040          // bad die id
#define ACL_ERROR_RT_DIE_MODE_NOT_SET 507041       // die mode unset
// cube read outside allowed range
#define ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW 507042
// cube write outside allowed range
#define ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW 507043
// vector read outside allowed range
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW 507044
// vector write outside allowed range
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW 507045
// stream/device sync wait expired
#define ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046
#define ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047  // event sync wait expired
// thread-scheduler graph task ran too long
#define ACL_ERROR_RT_FFTS_PLUS_TIMEOUT 507048
// thread-scheduler graph task faulted
#define ACL_ERROR_RT_FFTS_PLUS_EXCEPTION 507049
// thread-scheduler graph task trap
#define ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION 507050
#define ACL_ERROR_RT_SEND_MSG 507051          // host-device message lost
#define ACL_ERROR_RT_COPY_DATA 507052         // copy failed
#define ACL_ERROR_RT_DEVICE_MEM_ERROR 507053  // device memory fault
// uncorrectable HBM fault
#define ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR 507054
// probable device memory fault
#define ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR 507055
#define ACL_ERROR_RT_LINK_ERROR 507056  // link fault
// probable fault of the peer
#define ACL_ERROR_RT_SUSPECT_REMOTE_ERROR 507057
#define ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899    // driver failure
#define ACL_ERROR_RT_AICPU_INTERNAL_ERROR 507900  // AI CPU internal failure
// device connection lost (use for daemon death)
#define ACL_ERROR_RT_SOCKET_CLOSE 507901
// AI CPU op list load failed
#define ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR 507902
// capture was invalidated earlier
#define ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903
#define ACL_ERROR_RT_COMM_OP_RETRY_FAIL 507904    // collective retry failed
#define ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905    // snapshot lock wait expired
#define ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906     // snapshot lock failed
#define ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907   // snapshot unlock failed
#define ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908   // snapshot save failed
#define ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909  // snapshot restore failed
// range already registered
#define ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910
#define ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911  // range not registered
// snapshot callback returned failure
#define ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912
// snapshot callback not registered
#define ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913
#define ACL_ERROR_RT_L3_PORT_ERROR 507914  // L3 port fault
#define ACL_ERROR_RT_CCU_TIMEOUT 507915    // collective unit ran too long
#define ACL_ERROR_RT_CCU_EXCEPTION 507916  // collective unit faulted

#endif  // ACL_ERROR_CODES_RT_ERROR_CODES_H_
