// Text for operators: aligned tables, sizes and times that people read.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_CLIENT_CLI_TABLE_H_
#define ASCEND_CLIENT_CLI_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ascend::client {

// Rows of cells under their headings, columns two spaces apart. Cells that
// begin with a digit stand to the right of their column, others to the left.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

// "0 B", "640 KiB", "1.5 GiB": three digits, binary units.
std::string FormatBytes(uint64_t bytes);

// "0 us", "12.3 us", "4.57 ms", "3.2 s".
std::string FormatNanoseconds(int64_t ns);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CLI_TABLE_H_
