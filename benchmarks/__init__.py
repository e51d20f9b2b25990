"""Benchmarks of the service: CPU, latency, memory, and the reads and writes of each operation."""
