// The program asks a MySQL server by mysql2: a request a line, an answer a line, both JSON.
// Statements with values go by the binary protocol. Values of rows are written in hexadecimal.
import { createInterface } from "node:readline";
import { createConnection } from "mysql2/promise";

const [port, user, password, database] = process.argv.slice(2);
const session = await createConnection({
  host: "127.0.0.1",
  port: Number(port),
  user,
  password,
  database,
  rowsAsArray: true,
  dateStrings: true,
});

const hexadecimal = (value) =>
  value === null ? null : Buffer.from(Buffer.isBuffer(value) ? value : String(value)).toString("hex");

// The result of a procedure is a list: its rows, and at the end how many were changed.
const rows = (result, fields) => {
  if (!Array.isArray(result)) {
    return [];
  }
  const several = Array.isArray(fields) && fields.some((field) => field === undefined || Array.isArray(field));
  const all = several ? result.filter(Array.isArray).flat() : result;
  return all.map((row) => row.map(hexadecimal));
};

for await (const line of createInterface({ input: process.stdin })) {
  const { statement, values } = JSON.parse(line);
  let answer;
  try {
    const [result, fields] = values.length
      ? await session.execute(statement, values)
      : await session.query(statement);
    answer = { rows: rows(result, fields) };
  } catch (error) {
    if (error.errno === undefined || error.sqlState === undefined) {
      throw error;
    }
    answer = { error: { number: error.errno, text: error.sqlMessage } };
  }
  console.log(JSON.stringify(answer));
}
await session.end();
