"""The command `aws`, and the emulator of AWS for development and tests, which is a program of its own."""
