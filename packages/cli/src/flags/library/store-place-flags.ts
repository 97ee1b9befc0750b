/** Where the database and the payloads are; every command that works on them without a server takes these. */
export const storePlaceFlags = {
  home: { type: 'string', description: 'folder of the SQLite database and of the payloads [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
} as const;
