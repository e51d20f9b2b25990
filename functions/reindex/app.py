"""The Lambda function `reindex`: builds what a changed model needs. An operator calls it."""

from stratabase_aws.functions import reindex_handler

handler = reindex_handler()
