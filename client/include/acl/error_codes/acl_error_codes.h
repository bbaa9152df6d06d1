// Error codes of the interface itself: 100xxx and 148xxx the caller made a
// mistake, 200xxx something ran out or is not supported, 3xxxxx and 5xxxxx the
// installation or what lies under the library failed.
#ifndef ACL_ERROR_CODES_ACL_ERROR_CODES_H_
#define ACL_ERROR_CODES_ACL_ERROR_CODES_H_

// A named int that is a constant expression in C and in C++.
#ifdef __cplusplus
#define ACL_CONST_INT(name, value) static constexpr int name = value
#else
#define ACL_CONST_INT(name, value) enum { name = value }
#endif

ACL_CONST_INT(ACL_ERROR_NONE, 0);  // older name of ACL_SUCCESS
ACL_CONST_INT(ACL_SUCCESS, 0);

// The caller made a mistake.

// null pointer or illegal argument
ACL_CONST_INT(ACL_ERROR_INVALID_PARAM, 100000);
ACL_CONST_INT(ACL_ERROR_UNINITIALIZE, 100001);       // aclInit not called
ACL_CONST_INT(ACL_ERROR_REPEAT_INITIALIZE, 100002);  // aclInit again; counts
ACL_CONST_INT(ACL_ERROR_INVALID_FILE, 100003);       // path or file unusable
ACL_CONST_INT(ACL_ERROR_WRITE_FILE, 100004);         // cannot write file
// file empty or too large
ACL_CONST_INT(ACL_ERROR_INVALID_FILE_SIZE, 100005);
ACL_CONST_INT(ACL_ERROR_PARSE_FILE, 100006);  // JSON/file unparsable
// required key missing in a configuration file
ACL_CONST_INT(ACL_ERROR_FILE_MISSING_ATTR, 100007);
// bad value for a key in a configuration file
ACL_CONST_INT(ACL_ERROR_FILE_ATTR_INVALID, 100008);
ACL_CONST_INT(ACL_ERROR_INVALID_DUMP_CONFIG, 100009);  // bad dump section
// bad profiler section
ACL_CONST_INT(ACL_ERROR_INVALID_PROFILING_CONFIG, 100010);
ACL_CONST_INT(ACL_ERROR_INVALID_MODEL_ID, 100011);  // no such loaded model
// model bytes cannot be decoded
ACL_CONST_INT(ACL_ERROR_DESERIALIZE_MODEL, 100012);
ACL_CONST_INT(ACL_ERROR_PARSE_MODEL, 100013);  // model content inconsistent
// cannot read model file
ACL_CONST_INT(ACL_ERROR_READ_MODEL_FAILURE, 100014);
// model byte count wrong
ACL_CONST_INT(ACL_ERROR_MODEL_SIZE_INVALID, 100015);
// model lacks needed attribute
ACL_CONST_INT(ACL_ERROR_MODEL_MISSING_ATTR, 100016);
// inputs given do not fit the model
ACL_CONST_INT(ACL_ERROR_MODEL_INPUT_NOT_MATCH, 100017);
// outputs given do not fit the model
ACL_CONST_INT(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, 100018);
// dynamic setting on a fixed-shape model
ACL_CONST_INT(ACL_ERROR_MODEL_NOT_DYNAMIC, 100019);
// op type differs from the compiled one
ACL_CONST_INT(ACL_ERROR_OP_TYPE_NOT_MATCH, 100020);
// op inputs differ from the compiled ones
ACL_CONST_INT(ACL_ERROR_OP_INPUT_NOT_MATCH, 100021);
// op outputs differ from the compiled ones
ACL_CONST_INT(ACL_ERROR_OP_OUTPUT_NOT_MATCH, 100022);
// op attributes differ from the compiled ones
ACL_CONST_INT(ACL_ERROR_OP_ATTR_NOT_MATCH, 100023);
ACL_CONST_INT(ACL_ERROR_OP_NOT_FOUND, 100024);  // no matching single op
// compiled op cannot be loaded
ACL_CONST_INT(ACL_ERROR_OP_LOAD_FAILED, 100025);
// element type not accepted
ACL_CONST_INT(ACL_ERROR_UNSUPPORTED_DATA_TYPE, 100026);
ACL_CONST_INT(ACL_ERROR_FORMAT_NOT_MATCH, 100027);  // layout mismatch
// dynamic-op callback missing
ACL_CONST_INT(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, 100028);
ACL_CONST_INT(ACL_ERROR_KERNEL_NOT_FOUND, 100029);  // no matching kernel
// dynamic-op callback registered twice
ACL_CONST_INT(ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, 100030);
// kernel registered twice
ACL_CONST_INT(ACL_ERROR_KERNEL_ALREADY_REGISTERED, 100031);
ACL_CONST_INT(ACL_ERROR_INVALID_QUEUE_ID, 100032);  // no such queue
// stream already has a callback thread
ACL_CONST_INT(ACL_ERROR_REPEAT_SUBSCRIBE, 100033);
// stream has no callback thread
ACL_CONST_INT(ACL_ERROR_STREAM_NOT_SUBSCRIBE, 100034);
// thread serves no stream
ACL_CONST_INT(ACL_ERROR_THREAD_NOT_SUBSCRIBE, 100035);
// callback wait expired
ACL_CONST_INT(ACL_ERROR_WAIT_CALLBACK_TIMEOUT, 100036);
// finalize without matching init
ACL_CONST_INT(ACL_ERROR_REPEAT_FINALIZE, 100037);
// model lacks fixed image pre-processing
ACL_CONST_INT(ACL_ERROR_NOT_STATIC_AIPP, 100038);
ACL_CONST_INT(ACL_ERROR_COMPILING_STUB_MODE, 100039);  // stub library in use
ACL_CONST_INT(ACL_ERROR_GROUP_NOT_SET, 100040);     // resource group not chosen
ACL_CONST_INT(ACL_ERROR_GROUP_NOT_CREATE, 100041);  // resource group absent
// profiler already started
ACL_CONST_INT(ACL_ERROR_PROF_ALREADY_RUN, 100042);
ACL_CONST_INT(ACL_ERROR_PROF_NOT_RUN, 100043);      // profiler not started
ACL_CONST_INT(ACL_ERROR_DUMP_ALREADY_RUN, 100044);  // dump already started
ACL_CONST_INT(ACL_ERROR_DUMP_NOT_RUN, 100045);      // dump not started
// model already subscribed
ACL_CONST_INT(ACL_ERROR_PROF_REPEAT_SUBSCRIBE, 148046);
// different profiler APIs mixed
ACL_CONST_INT(ACL_ERROR_PROF_API_CONFLICT, 148047);
// bad op cache limit in configuration
ACL_CONST_INT(ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG, 148048);
// op package path variable unset or wrong
ACL_CONST_INT(ACL_ERROR_INVALID_OPP_PATH, 148049);
// op cannot take dynamic shapes
ACL_CONST_INT(ACL_ERROR_OP_UNSUPPORTED_DYNAMIC, 148050);
// dependent object still alive
ACL_CONST_INT(ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED, 148051);
// JPEG variant not decodable
ACL_CONST_INT(ACL_ERROR_UNSUPPORTED_JPEG, 148052);
ACL_CONST_INT(ACL_ERROR_INVALID_BUNDLE_MODEL_ID, 148053);  // no such bundle

// Something ran out, or is not supported.

ACL_CONST_INT(ACL_ERROR_BAD_ALLOC, 200000);        // host memory exhausted
ACL_CONST_INT(ACL_ERROR_API_NOT_SUPPORT, 200001);  // call not available here
ACL_CONST_INT(ACL_ERROR_INVALID_DEVICE, 200002);   // bad device
// misaligned address
ACL_CONST_INT(ACL_ERROR_MEMORY_ADDRESS_UNALIGNED, 200003);
// object belongs to something else
ACL_CONST_INT(ACL_ERROR_RESOURCE_NOT_MATCH, 200004);
ACL_CONST_INT(ACL_ERROR_INVALID_RESOURCE_HANDLE, 200005);  // bad handle
ACL_CONST_INT(ACL_ERROR_FEATURE_UNSUPPORTED, 200006);      // feature absent
// data kind not collectable here
ACL_CONST_INT(ACL_ERROR_PROF_MODULES_UNSUPPORTED, 200007);

// A limit of the installation.

ACL_CONST_INT(ACL_ERROR_STORAGE_OVER_LIMIT, 300000);  // disk quota exceeded

// The library or what is under it failed.

// unclassified internal failure
ACL_CONST_INT(ACL_ERROR_INTERNAL_ERROR, 500000);
ACL_CONST_INT(ACL_ERROR_FAILURE, 500001);     // general failure
ACL_CONST_INT(ACL_ERROR_GE_FAILURE, 500002);  // graph engine failure
// runtime failure without public code
ACL_CONST_INT(ACL_ERROR_RT_FAILURE, 500003);
ACL_CONST_INT(ACL_ERROR_DRV_FAILURE, 500004);        // driver failure
ACL_CONST_INT(ACL_ERROR_PROFILING_FAILURE, 500005);  // profiler failure

#endif  // ACL_ERROR_CODES_ACL_ERROR_CODES_H_
