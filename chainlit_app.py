"""The chat: `chainlit run chainlit_app.py`. A message or a click goes in, what the assistant does comes out on the screen."""

import sqlite3
import tempfile
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import chainlit as cl
import chainlit.config
from chainlit.config import config
from chainlit.server import app

from marwg.chat import access, forms, props
from marwg.chat.cards import Cards
from marwg.chat.data_layer import LocalStorage, SQLiteDataLayer, serve_blobs
from marwg.chat.followers import StillWorking, Turns, after_resuming, as_run
from marwg.chat.screen import Screen
from marwg.chat.service import service
from marwg.chat.telling import tell, told
from marwg.chat.uploads import keep_files
from marwg.errors import InputError, MarwgError

HOME = service.settings.home
turns = Turns()
storage = LocalStorage(HOME / "chat_files")
try:
    layer = SQLiteDataLayer(HOME / "chat.db", storage)
    access.install(service.settings)
except (OSError, sqlite3.Error) as error:
    raise SystemExit(
        f"The folder {HOME} cannot be written to ({error}). Set MARWG_HOME to a folder of yours."
    ) from error
except access.NoPassword as refused:
    raise SystemExit(str(refused)) from refused
# Files of a session would lie beside this file, where another server deletes them when it ends.
session_files = tempfile.TemporaryDirectory(prefix="marwg-")
chainlit.config.FILES_DIRECTORY = Path(session_files.name)
serve_blobs(layer, storage)
access.close_element_routes(app)
app.add_middleware(access.SelfContainedPage)


@cl.data_layer
def data_layer() -> SQLiteDataLayer:
    return layer


@cl.on_app_shutdown
async def shut_down() -> None:
    await service.close()
    session_files.cleanup()


# ---------------------------------------------------------------- what a new conversation shows


@cl.set_chat_profiles
async def profiles(_user: Any, _language: Any = None) -> list[cl.ChatProfile]:
    """One profile: its icon and description are what the empty page shows."""
    try:
        about = await (await service.assistant()).describe()
    except MarwgError as error:
        about = f"**{error.message}** {error.hint}"
    return [
        cl.ChatProfile(
            name=config.ui.name, markdown_description=f"{WELCOME}\n\n{about}", icon="/public/favicon.svg", default=True
        )
    ]


WELCOME = (
    "**Related work, verified.** Send the title and the abstract of your paper. You get a section grouped by theme in which "
    "every cited sentence is checked against its source."
)


@cl.set_starters
async def starters(_user: Any, _language: Any = None) -> list[cl.Starter]:
    try:
        offered = (await service.assistant()).starters()
    except MarwgError:  # the page says why, in the description
        offered = []
    return [
        cl.Starter(label=s.label, message=f"{s.title}\n\n{s.abstract}", icon="/public/favicon.svg") for s in offered
    ]


@cl.on_chat_start
@told
async def chat_start() -> None:
    await show_settings()


@cl.on_chat_resume
@told
async def chat_resume(_thread: Any) -> None:
    """The page puts up the stored conversation; what is not stored, and what still goes on, is drawn here."""
    await show_settings()
    await after_resuming(turns, this_thread(), (await new_screen()).resumed)


# ---------------------------------------------------------------- turns


@cl.on_message
@told
async def message(msg: cl.Message) -> None:
    thread_id, assistant = this_thread(), await service.assistant()
    files = await keep_files(msg.elements, HOME / "uploads" / thread_id)
    await begin(assistant.handle(thread_id, msg.content, files))
    await turns.follow(thread_id)


@cl.on_stop
async def stop() -> None:
    turns.stop(this_thread())


async def new_screen() -> Screen:
    """What this conversation is drawn on, in the tab that asks."""
    thread_id = this_thread()
    return Screen(await service.assistant(), thread_id, Cards(layer, thread_id, HOME))


async def begin(events: AsyncIterator[Any]) -> bool:
    """Starts a turn; when the conversation is busy it says so instead."""
    try:
        turns.start(this_thread(), events, await new_screen())
    except StillWorking as error:
        await tell(error)
        return False
    return True


async def press(action: str, payload: Any) -> dict[str, Any]:
    """A button that begins a turn; the answer tells the page whether it began, and if not, why."""
    try:
        thread_id, assistant = this_thread(), await service.assistant()
        checked = forms.CHECKS[action](payload, assistant.run(thread_id))
        if turns.at_work(thread_id):
            raise StillWorking
    except MarwgError as error:
        return {"started": False, "problem": str(error)}
    if action == "continue":
        await Cards(layer, thread_id, HOME).settle("ContinueCard", "used")
    await cl.context.emitter.task_start()  # before the first step: a step that comes before it is drawn folded
    if await begin(assistant.act(thread_id, action, checked)):
        await as_run(turns, thread_id)
    return {"started": True}


@cl.action_callback("outline_approve")
async def outline_approve(action: cl.Action) -> dict[str, Any]:
    return await press("approve", action.payload)


@cl.action_callback("outline_save")
async def outline_save(action: cl.Action) -> dict[str, Any]:
    return await press("edit_outline", action.payload)


@cl.action_callback("claim_why")
async def claim_why(action: cl.Action) -> dict[str, Any]:
    return await press("why", action.payload)


@cl.action_callback("claim_decide")
async def claim_decide(action: cl.Action) -> dict[str, Any]:
    return await press("decide", action.payload)


@cl.action_callback("claim_recheck")
async def claim_recheck(action: cl.Action) -> dict[str, Any]:
    return await press("recheck", action.payload)


@cl.action_callback("run_continue")
async def run_continue(action: cl.Action) -> dict[str, Any]:
    return await press("continue", action.payload)


@cl.action_callback("claim_sources")
async def claim_sources(action: cl.Action) -> dict[str, Any]:
    """Opens the passages of a claim beside the conversation."""
    try:
        thread_id, assistant = this_thread(), await service.assistant()
        form = forms.read(forms.ClaimForm, action.payload)
        forms.checked_claim(form, assistant.run(thread_id))
        passages = await assistant.evidence(thread_id, form.claim)
    except MarwgError as error:
        return {"started": False, "problem": str(error)}
    panel = cl.CustomElement(name="SourcePanel", props=props.source_panel(passages), display="side")
    await cl.ElementSidebar.set_elements([panel], key=f"claim-{form.claim}-{uuid.uuid4()}")
    await cl.ElementSidebar.set_title(f"Sources of claim {form.claim}")  # after the elements: before them it is lost
    return {"started": True}


# ---------------------------------------------------------------- settings


async def show_settings() -> None:
    """The settings panel with the parameters of this conversation."""
    parameters = (await service.assistant()).parameters(this_thread())
    await cl.ChatSettings(forms.settings_panel(parameters)).send()


@cl.on_settings_update
async def settings_update(values: dict[str, Any]) -> None:
    try:
        await (await service.assistant()).set_parameters(this_thread(), forms.read_settings(values))
    except MarwgError as error:
        await cl.context.emitter.send_toast(str(error), "error")
    else:
        await cl.context.emitter.send_toast("These settings hold from the next run on.", "success")


def this_thread() -> str:
    """The id of this conversation; it comes from the browser and names folders, so it has to be a UUID."""
    try:
        return str(uuid.UUID(cl.context.session.thread_id))
    except ValueError as error:
        raise InputError("This address names no conversation.", "Begin a new one.") from error
