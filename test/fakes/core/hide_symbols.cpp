#include "core/hide_symbols.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace fake {
namespace {

struct Tables {
  ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const ElfW(Word) * hash = nullptr;
};

/** glibc relocates d_ptr of most tables to addresses; others leave offsets. */
template <typename T>
T at(const link_map& map, ElfW(Addr) value) {
  return reinterpret_cast<T>(value < map.l_addr ? map.l_addr + value : value);
}

Tables find_tables(const link_map& map) {
  Tables tables;
  for (const auto* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto value = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) tables.symbols = at<ElfW(Sym)*>(map, value);
    if (entry->d_tag == DT_STRTAB) tables.names = at<const char*>(map, value);
    if (entry->d_tag == DT_GNU_HASH) tables.gnu_hash = at<const std::uint32_t*>(map, value);
    if (entry->d_tag == DT_HASH) tables.hash = at<const ElfW(Word)*>(map, value);
  }
  return tables;
}

/** The table has no length of its own: it ends where the last hash chain ends. */
std::size_t count_symbols(const Tables& tables) {
  if (tables.hash != nullptr) return tables.hash[1];
  if (tables.gnu_hash == nullptr) return 0;
  const std::uint32_t buckets = tables.gnu_hash[0], first = tables.gnu_hash[1];
  const std::uint32_t words = tables.gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t* bucket = tables.gnu_hash + 4 + words;
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    if (bucket[i] > last) last = bucket[i];
  }
  if (last < first) return first;
  while ((chain[last - first] & 1U) == 0) ++last;
  return last + 1;
}

bool set_protection(ElfW(Sym) * symbols, std::size_t count, int protection) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(symbols) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(symbols + count);
  return mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0;
}

}  // namespace

void hide_symbols(const std::function<bool(std::string_view)>& hidden) {
  Dl_info info{};
  link_map* map = nullptr;
  static const char anchor = 0;
  if (dladdr1(&anchor, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return;
  const Tables tables = find_tables(*map);
  const std::size_t count = count_symbols(tables);
  if (tables.symbols == nullptr || tables.names == nullptr || count == 0) return;
  std::vector<std::size_t> found;
  for (std::size_t i = 1; i < count; ++i) {
    const ElfW(Sym)& symbol = tables.symbols[i];
    if (symbol.st_shndx != SHN_UNDEF && hidden(tables.names + symbol.st_name)) found.push_back(i);
  }
  if (found.empty() || !set_protection(tables.symbols, count, PROT_READ | PROT_WRITE)) return;
  for (const std::size_t i : found) {
    tables.symbols[i].st_value = 0;
    tables.symbols[i].st_shndx = SHN_UNDEF;
  }
  // The linker may have put the table beside code: keep it executable.
  set_protection(tables.symbols, count, PROT_READ | PROT_EXEC);
}

}  // namespace fake
