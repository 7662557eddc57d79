// Begun here; see the module's documentation.
