"""A stand-in for `Models`: replies queued by task name or made by a function, and a memory of what was asked."""

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

from marwg.tasks import Reply, Task
from marwg.types import Usage

Answer = Reply | Exception | Callable[[Task], Reply]


class FakeModels:
    """`replies`: task name → an answer (reply, error, function) for always, or a list of them; `default` for the rest."""

    def __init__(
        self,
        replies: Mapping[str, Answer | Iterable[Answer]] | None = None,
        default: Callable[[Task], Reply] | None = None,
        built_in: bool = False,
        names: tuple[str, str] = ("fake generator", "fake verifier"),
    ) -> None:
        self.replies = {k: deque(v) if isinstance(v, list | tuple) else v for k, v in (replies or {}).items()}
        self.default, self.built_in, self.names = default, built_in, names
        self.asked: list[Task] = []
        self.roles: list[str] = []
        self.usage, self.independent = Usage(), names[0] != names[1]

    async def run(self, task: Task, role: str = "generator", fresh: bool = False) -> Reply:
        self.asked.append(task)
        self.roles.append(role)
        self.usage += Usage(calls=1)
        answer = self.replies.get(task.name, self.default)
        answer = answer.popleft() if isinstance(answer, deque) else answer
        assert answer is not None, f"no reply for {task.name}"
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else answer(task)

    async def stream(self, task: Task, role: str = "generator") -> AsyncIterator[Reply]:
        yield await self.run(task, role)

    def name(self, role: str = "generator", task: str = "") -> str:
        return self.names[role == "verifier"]

    def describe_roles(self) -> dict[str, str]:
        return dict(zip(("generator", "verifier"), self.names, strict=True))

    def is_built_in(self, role: str = "generator") -> bool:
        return self.built_in
