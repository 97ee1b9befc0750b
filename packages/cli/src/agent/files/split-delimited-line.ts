/** The cells of one record of a table; undefined while a quote in it is open. */
export function splitDelimitedLine(line: string, delimiter: string): string[] | undefined {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index]!;
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (line[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell === '') isQuoted = true;
    else if (letter === delimiter) {
      cells.push(cell);
      cell = '';
    } else cell += letter;
  }
  return isQuoted ? undefined : [...cells, cell];
}
