"""The Relay language: expression trees, its text format, type inference, and the way to and from the dialect."""
