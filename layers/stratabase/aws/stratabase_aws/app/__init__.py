"""What AWS brings to an app.

- `platform`: the platform of DynamoDB
- `services`: S3, Secrets Manager, SES and a Lambda function, which the settings can name on every platform
"""
