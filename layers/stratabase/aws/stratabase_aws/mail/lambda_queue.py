"""A queue that passes each request to a Lambda function, which AWS invokes later, and again if it fails."""

import json
from functools import cached_property
from typing import Any

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import ForgottenPassword
from stratabase.values.messages import _
from stratabase_aws.endpoint import AwsEndpoint, create_client

_RETRY_AFTER = 5
"""Seconds."""


class LambdaMailQueue:
    """A queue in front of a Lambda function. `function` is its name or ARN."""

    def __init__(self, function: str, endpoint: AwsEndpoint) -> None:
        self._function = function
        self._endpoint = endpoint

    def put(self, request: ForgottenPassword) -> None:
        """Add a request. Raises Unavailable."""
        waiting.offload(self._invoke, request)

    def close(self) -> None:
        """Do nothing, because no connection needs to be closed."""

    def _invoke(self, request: ForgottenPassword) -> None:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - imported on first use, see _client

        try:
            self._client.invoke(
                FunctionName=self._function, InvocationType="Event", Payload=json.dumps(request._asdict())
            )
        except (BotoCoreError, ClientError, OSError) as error:
            message = _("The service is temporarily unavailable. Try again later.")
            raise Unavailable(message, _RETRY_AFTER) from error

    @cached_property
    def _client(self) -> Any:
        # Created with the first request: most processes never get one, and loading botocore takes long.
        return create_client("lambda", self._endpoint, retries={"mode": "standard", "total_max_attempts": 3})
