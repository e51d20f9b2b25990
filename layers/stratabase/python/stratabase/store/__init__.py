"""Where objects are kept: keys, codec, planning, and one adapter per engine."""
