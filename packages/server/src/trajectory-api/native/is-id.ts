const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text of the URL can be an id of ours. Others are not asked for: PostgreSQL refuses some of them as text. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text);
}
