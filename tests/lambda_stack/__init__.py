"""The deployed stack on this machine: API Gateway is emulated, and each function runs as processes.

`layers` makes the folders that Lambda has, `pool` runs the processes of a function in awslambdaric, `stack`
puts the gateway before them, and `faults` stands between them and the emulator of DynamoDB, S3 and Secrets
Manager. `python -m tests.lambda_stack` serves it in place of `stratabase serve`.

For the test of the policies, `local_functions` runs the functions in the process of the test, `workload` does
everything with them that clients do, and `recorder` notes what each function calls on AWS.
"""
