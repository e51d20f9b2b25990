"""The local gateway: HTTP becomes API Gateway's REST (v1) proxy events, and their answers HTTP again."""
