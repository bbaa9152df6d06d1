# cmake -D OUTPUT=x.cc -D FILES=a.textproto,b.textproto -P EmbedTexts.cmake
#
# Writes the source of server/soc_profile_texts.h: the files as literals, so
# that the program needs none of them.

string(REPLACE "," ";" files "${FILES}")
set(rows "")
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"textproto(${text})textproto\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by deploy/cmake/EmbedTexts.cmake.
#include \"server/soc_profile_texts.h\"

namespace ascend::server {
namespace {

constexpr SocProfileText kTexts[] = {
${rows}};

}  // namespace

std::span<const SocProfileText> SocProfileTexts() { return kTexts; }

}  // namespace ascend::server
")
