#pragma once

/// Marks what libtutti exports; everything else is built with hidden visibility.
#define TUTTI_API [[gnu::visibility("default")]]
