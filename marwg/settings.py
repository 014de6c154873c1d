"""Settings from the environment (and an `.env` file beside where the program starts), and where state lives."""

from pathlib import Path

import platformdirs
from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What the environment says. Keys are secrets: they never appear in a repr, a log, an export or a prompt."""

    model_config = SettingsConfigDict(
        env_prefix="MARWG_", env_file=".env", extra="ignore", frozen=True, populate_by_name=True
    )

    home: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("marwg")))
    milvus_uri: str = Field("", validation_alias="MILVUS_URI", description="empty: a Milvus Lite file in home")
    milvus_token: SecretStr = Field(SecretStr(""), validation_alias="MILVUS_TOKEN")
    embedding_model: str = Field("", description="empty: all-mpnet-base-v2 if on disk, else the packaged MiniLM")
    embedding_download: bool = Field(False, description="fetch the embedding model from the hub if it is not on disk")
    starter_library: Path | None = Field(None, description="empty: examples/starter_library.jsonl")
    csl: Path | None = Field(None, description="citation style of the Word file, a .csl; empty: Chicago author-date")

    # ------------------------------------------------------------ live sources
    online: bool = Field(False, description="search arXiv, OpenAlex and Semantic Scholar, and look papers up there")
    contact: str = Field("", description="an e-mail address that these services are told, as they ask for")
    semantic_scholar_api_key: SecretStr = Field(SecretStr(""), validation_alias="SEMANTIC_SCHOLAR_API_KEY")
    arxiv_url: str = Field("https://export.arxiv.org", description="where arXiv answers")
    openalex_url: str = Field("https://api.openalex.org", description="where OpenAlex answers")
    semantic_scholar_url: str = Field("https://api.semanticscholar.org", description="where Semantic Scholar answers")
    zotero_library: str = Field("", description="users/NUMBER or groups/NUMBER; needed for `add zotero:`")
    zotero_api_key: SecretStr = Field(SecretStr(""), validation_alias="ZOTERO_API_KEY")
    zotero_url: str = Field("https://api.zotero.org", description="or http://127.0.0.1:23119/api, the program here")
    online_requests: int = Field(40, ge=1, description="requests in one search, or one look-up, over all sources")
    online_seconds: float = Field(90.0, gt=0, description="time for one search, or one look-up")
    online_timeout: float = Field(20.0, gt=0, description="seconds for one answer of a live source")
    online_pause: float = Field(1.0, ge=0, description="multiplies the pauses between requests to a source")

    # ------------------------------------------------------------ language models
    generator: str = Field(
        "", description="such as google:gemini-2.5-flash, ollama:qwen3, built-in; empty: what is there"
    )
    verifier: str = Field(
        "", description="the second judge; empty: another model than the generator where there is one"
    )
    task_models: dict[str, str] = Field(
        default_factory=dict,
        description='JSON: {"summarize": "openai:gpt-5-nano", "verifier:judge_claims": "ollama:qwen3"}',
    )
    gemini_api_key: SecretStr = Field(SecretStr(""), validation_alias=AliasChoices("GEMINI_API_KEY", "GOOGLE_API_KEY"))
    openai_api_key: SecretStr = Field(SecretStr(""), validation_alias="OPENAI_API_KEY")
    deepseek_api_key: SecretStr = Field(SecretStr(""), validation_alias="DEEPSEEK_API_KEY")
    api_key: SecretStr = Field(SecretStr(""), description="for compatible:NAME, where its server wants one")
    base_url: str = Field("", description="of an OpenAI-compatible server, for compatible:NAME; ends in /v1 as a rule")
    ollama_url: str = Field("http://127.0.0.1:11434", description="where Ollama listens")
    gemini_url: str = Field("", description="another address for Gemini, such as a gateway")
    openai_url: str = Field("", description="another address for OpenAI, such as a gateway; ends in /v1")
    deepseek_url: str = Field("", description="another address for DeepSeek, such as a gateway")
    temperature: float = Field(0.0, ge=0, le=2, description="left out for models that do not take one")
    concurrency: int = Field(4, ge=1, le=64, description="calls to models at the same time")
    timeout_seconds: float = Field(180.0, gt=0, description="for one call")
    attempts: int = Field(4, ge=1, le=10, description="for one call that meets a busy or failing server")
    retry_seconds: float = Field(1.0, ge=0, description="first wait between attempts; doubled each time")
    longest_wait: float = Field(60.0, ge=0, description="a server that asks for a longer pause ends the call")
    limit_calls: int | None = Field(None, ge=0, description="calls to models in one run; empty: no limit")
    limit_dollars: float | None = Field(None, ge=0, description="US dollars in one run, where prices are known")
    password: SecretStr = Field(SecretStr(""), description="of the chat; needed where others can reach it")

    @property
    def live_urls(self) -> tuple[str, ...]:
        """Where the live sources answer."""
        return (self.arxiv_url, self.openalex_url, self.semantic_scholar_url, self.zotero_url)
