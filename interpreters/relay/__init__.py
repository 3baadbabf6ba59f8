"""The meaning of every relay operator, by the families of `dialects/relay`."""
