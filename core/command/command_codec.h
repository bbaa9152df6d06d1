// Commands as bytes, for logs that are replayed (core/machine/input_log.h).
// Transports have a form of their own.
//
// Threading: pure functions.
#ifndef ASCEND_CORE_COMMAND_COMMAND_CODEC_H_
#define ASCEND_CORE_COMMAND_COMMAND_CODEC_H_

#include "core/base/byte_codec.h"
#include "core/command/command.h"

namespace ascend::core {

void WriteCommand(const Command& command, ByteWriter& out);

// The reader fails on what WriteCommand does not write.
Command ReadCommand(ByteReader& in);

}  // namespace ascend::core

#endif  // ASCEND_CORE_COMMAND_COMMAND_CODEC_H_
