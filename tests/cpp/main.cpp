// The unit tests of the core: tests/cpp/test_core.py builds and runs them.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
