// Nothing to call: the close(2) of this target replaces that of the C library in the program of the tests.
