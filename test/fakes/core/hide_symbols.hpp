#pragma once

#include <functional>
#include <string_view>

namespace fake {

/**
 * Makes functions of this shared library invisible to dlsym().
 *
 * Compiled into each fake library and called from its constructor: the names are taken out of the
 * library's own dynamic symbol table (a private copy of the page), so that a plain dlsym() by
 * anyone fails just as with an older library.
 */
void hide_symbols(const std::function<bool(std::string_view)>& hidden);

}  // namespace fake
