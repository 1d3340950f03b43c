"""Fits of tables whose rows lie in several places, for any engine that runs work where they are: `Engine` says what one
has to offer, `InProcess` is the plainest. The messages, and all that is decided, are the core's (cpp/distributed/)."""
