#pragma once

/// Everything that an application needs.
#include "tutti/buffer.hpp"
#include "tutti/communicator.hpp"
#include "tutti/device_group.hpp"
#include "tutti/environment.hpp"
#include "tutti/error.hpp"
#include "tutti/memory.hpp"
#include "tutti/operation.hpp"
#include "tutti/options.hpp"
#include "tutti/reduce_op.hpp"
#include "tutti/types.hpp"
#include "tutti/version.hpp"
#include "tutti/work.hpp"
