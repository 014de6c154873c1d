-- Conversations as Chainlit's SQLAlchemy data layer writes them; lists and objects are JSON text.
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, metadata TEXT NOT NULL, createdAt TEXT
);
CREATE TABLE IF NOT EXISTS threads (
  id TEXT PRIMARY KEY, createdAt TEXT, name TEXT, userId TEXT REFERENCES users(id) ON DELETE CASCADE,
  userIdentifier TEXT, tags TEXT, metadata TEXT
);
CREATE TABLE IF NOT EXISTS steps (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
  threadId TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE, parentId TEXT,
  streaming BOOLEAN NOT NULL, waitForAnswer BOOLEAN, isError BOOLEAN, metadata TEXT, tags TEXT, input TEXT, output TEXT,
  createdAt TEXT, command TEXT, start TEXT, "end" TEXT, generation TEXT, showInput TEXT, language TEXT, indent INT,
  defaultOpen BOOLEAN, autoCollapse BOOLEAN, modes TEXT, icon TEXT
);
CREATE TABLE IF NOT EXISTS elements (
  id TEXT PRIMARY KEY, threadId TEXT REFERENCES threads(id) ON DELETE CASCADE, type TEXT, url TEXT, chainlitKey TEXT,
  name TEXT NOT NULL, display TEXT, objectKey TEXT, size TEXT, page INT, language TEXT, forId TEXT, mime TEXT,
  props TEXT, autoPlay BOOLEAN, playerConfig TEXT
);
CREATE TABLE IF NOT EXISTS feedbacks (
  id TEXT PRIMARY KEY, forId TEXT NOT NULL, threadId TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  value INT NOT NULL, comment TEXT
);
CREATE INDEX IF NOT EXISTS steps_of_thread ON steps(threadId, createdAt);
CREATE INDEX IF NOT EXISTS elements_of_thread ON elements(threadId);
CREATE INDEX IF NOT EXISTS elements_of_blob ON elements(objectKey);
CREATE INDEX IF NOT EXISTS threads_of_user ON threads(userId);
