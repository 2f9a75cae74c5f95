// The service from JavaScript: node service.mjs [ADDRESS]
const address = process.argv[2] ?? "http://127.0.0.1:8000";

async function call(path, body) {
  const response = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(`${path}: ${response.status} ${JSON.stringify(answer.detail)}`);
  }
  return answer;
}

const made = await call("/generate", { network: "VISA", amount_minor_units: 2500 });
console.log((await call("/explain", { message: made.message })).summary);

const verdict = await call("/validate", { message: made.message, against: ["VISA", "AMEX"] });
for (const [network, { passed, errors }] of Object.entries(verdict.networks)) {
  console.log(network, passed ? "passed" : errors[0]);
}

// What is wrong with a request is said, too.
await call("/generate", { network: "NONE" }).catch((error) => console.log(error.message.slice(0, 60)));
