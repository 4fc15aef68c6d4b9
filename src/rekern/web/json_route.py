"""Routes whose body is an object of JSON, read in one step."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

Handler = Callable[[Request], Coroutine[object, object, Response]]


class JsonRoute(APIRoute):
    """A route whose function takes the request and a body, an object of Pydantic.

    Its JSON is read and checked at once, which takes a third of the time. What is wrong with a body that cannot be read
    is left to FastAPI to say.
    """

    def get_route_handler(self) -> Handler:
        """Return the function that answers a request."""
        say_what_is_wrong, answer, schema = super().get_route_handler(), self.endpoint, self.find_schema()

        async def handle(request: Request) -> Response:
            if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json":
                try:
                    asked = schema.model_validate_json(await request.body())
                except ValidationError:
                    return await say_what_is_wrong(request)
                found: Response = await answer(request, asked)
                return found
            return await say_what_is_wrong(request)

        return handle

    def find_schema(self) -> type[BaseModel]:
        """Return the class of the body."""
        schema = None if self.body_field is None else self.body_field.field_info.annotation
        assert isinstance(schema, type) and issubclass(schema, BaseModel)
        return schema
