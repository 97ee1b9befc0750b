/** The bytes of a reply, no more than so many: who answers for ever is not listened to for ever. */
export async function readCapped(
  response: Response,
  most: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    size += piece.length;
    if (size >= most) break;
  }
  const bytes = new Uint8Array(Math.min(size, most));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece.subarray(0, bytes.length - at), at);
    at += piece.length;
    if (at >= bytes.length) break;
  }
  return { bytes, isCut: size >= most };
}
