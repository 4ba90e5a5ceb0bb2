import { HttpRequest, HttpResponse } from "../../../src/platform/platform";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { WebRequest } from "../../cloud/http/web";

function ask(server: Server, request: Partial<HttpRequest> & { Url: HttpRequest["Url"] }): HttpResponse {
	return server.run(() => server.platform.http.RequestAsync({ Method: "GET", ...request }));
}

function problemOf(server: Server, call: () => unknown): string | undefined {
	return server.run(() => {
		const [success, problem] = pcall(call);
		return success ? undefined : tostring(problem);
	});
}

// HttpService as the emulated cloud shows it.
export = () => {
	describe("GUIDs", () => {
		it("are version 4, with braces unless told otherwise, and never the same twice", () => {
			simulate({}, (world) => {
				const { http } = world.startServer().platform;
				const plain = http.GenerateGUID(false);
				const form = "^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$";
				expect(plain.match(form)[0]).to.equal(plain);
				expect(http.GenerateGUID().size()).to.equal(38);
				const other = world.startServer().platform.http;
				const seen = new Set<string>();
				for (let i = 0; i < 500; i++) seen.add(http.GenerateGUID(false)).add(other.GenerateGUID(false));
				expect(seen.size()).to.equal(1000);
			});
		});

		it("are the same for the same seed", () => {
			const firstOf = (seed: number) => {
				let guid = "";
				simulate({ seed }, (world) => {
					guid = world.startServer().platform.http.GenerateGUID(false);
					world.wait(1);
				});
				return guid;
			};
			expect(firstOf(3)).to.equal(firstOf(3));
			expect(firstOf(3)).never.to.equal(firstOf(4));
		});
	});

	describe("text services of HttpService", () => {
		it("encode and decode JSON, and percent-encode all but letters and digits", () => {
			simulate({}, (world) => {
				const { http } = world.startServer().platform;
				expect(http.JSONEncode([1])).to.equal("[1]");
				expect((http.JSONDecode('{"a":2}') as { a: number }).a).to.equal(2);
				expect(http.UrlEncode("a/b c.é")).to.equal("a%2Fb%20c%2E%C3%A9");
				world.wait(1);
			});
		});
	});

	describe("web requests", () => {
		it("reach the web server registered for the beginning of their URL, with method, headers and body", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let got: WebRequest | undefined;
				world.services.web.serve("https://api.example/v1", (request) => {
					got = request;
					return { status: 201, headers: { ETag: '"7"' }, body: "made" };
				});
				const answer = ask(server, {
					Url: "https://api.example/v1/records/a",
					Method: "PUT",
					Headers: { "If-Match": "*" },
					Body: "text",
				});
				expect(got?.path).to.equal("/records/a");
				expect(got?.method).to.equal("PUT");
				expect(got?.headers.get("if-match")).to.equal("*");
				expect(got?.body).to.equal("text");
				expect(answer.Success).to.equal(true);
				expect(answer.StatusCode).to.equal(201);
				expect(answer.StatusMessage).to.equal("Created");
				expect(answer.Body).to.equal("made");
			});
		});

		it("bring header names in lower case, or as written, by switch", () => {
			for (const httpLowerCaseHeaders of [true, false]) {
				simulate({ switches: { httpLowerCaseHeaders } }, (world) => {
					world.services.web.serve("https://a", () => ({ status: 200, headers: { ETag: "1" } }));
					const headers = ask(world.startServer(), { Url: "https://a/b" }).Headers;
					expect(headers[httpLowerCaseHeaders ? "etag" : "ETag"]).to.equal("1");
				});
			}
		});

		it("do not throw on a status that tells of a failure", () => {
			simulate({}, (world) => {
				world.services.web.serve("https://a", () => ({ status: 412 }));
				const answer = ask(world.startServer(), { Url: "https://a/b" });
				expect(answer.Success).to.equal(false);
				expect(answer.StatusCode).to.equal(412);
			});
		});

		it("throw when nobody is there, on a broken URL, and when the experience does not allow them", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const call = (url: string) => () => server.platform.http.RequestAsync({ Url: url, Method: "GET" });
				expect(problemOf(server, call("https://nobody"))).to.equal("HttpError: ConnectFail");
				expect(problemOf(server, call("nonsense"))).to.be.ok();
				world.services.web.serve("https://a", () => ({ status: 200 }));
				expect(problemOf(server, call("https://a"))).to.equal(undefined);
				world.services.web.enabled = false;
				expect(problemOf(server, call("https://a"))).to.equal(
					"Http requests are not enabled. Enable via game settings",
				);
				world.services.web.enabled = true;
				world.services.web.close("https://a");
				expect(problemOf(server, call("https://a"))).to.be.ok();
			});
		});

		it("fail on the way there or on the way back, where a fault says so", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let writes = 0;
				world.services.web.serve("https://a", () => {
					writes += 1;
					return { status: 200 };
				});
				const put = () => server.platform.http.RequestAsync({ Url: "https://a", Method: "PUT", Body: "" });
				const lost = world.faults.add({ service: "Http", effect: "failBefore" });
				expect(problemOf(server, put)).to.equal("HttpError: ConnectFail");
				expect(writes).to.equal(0);
				lost.remove();
				world.faults.add({ service: "Http", durableOnly: true, effect: "loseAnswer" });
				expect(problemOf(server, put)).to.equal("HttpError: Timedout");
				expect(writes).to.equal(1);
			});
		});

		it("are 500 a minute for a server; others fail, or stall for 30 s, by switch", () => {
			for (const httpOverLimit of ["error", "stall"] as const) {
				simulate({ switches: { httpOverLimit } }, (world) => {
					const server = world.startServer();
					world.services.web.serve("https://a", () => ({ status: 200 }));
					const call = () => server.platform.http.RequestAsync({ Url: "https://a", Method: "GET" });
					server.run(() => {
						for (let i = 0; i < 500; i++) server.platform.task.spawn(call);
					});
					const before = world.now();
					const problem = problemOf(server, call);
					if (httpOverLimit === "error") expect(problem).to.equal("Number of requests exceeded limit");
					else {
						expect(problem).to.equal(undefined);
						expect(world.now() - before >= 30).to.equal(true);
					}
				});
			}
		});
	});

	describe("secrets", () => {
		it("show their text to nobody but the web server", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const { http } = server.platform;
				world.services.web.setSecret("token", "abc123");
				let seen = "";
				world.services.web.serve("https://a/key=abc123", ({ headers }) => {
					seen = headers.get("authorization") ?? "";
					return { status: 200 };
				});
				const secret = http.GetSecret("token");
				const answer = ask(server, {
					Url: secret.AddPrefix("https://a/key="),
					Headers: { Authorization: secret.AddPrefix("Bearer ").AddSuffix("!") },
				});
				expect(answer.StatusCode).to.equal(200);
				expect(seen).to.equal("Bearer abc123!");
				expect(tostring(secret).find("abc", 1, true)[0]).to.equal(undefined);
				expect(world.trace.toText().find("abc123", 1, true)[0]).to.equal(undefined);
			});
		});

		it("that are not set cannot be had", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				expect(problemOf(server, () => server.platform.http.GetSecret("none"))).to.be.ok();
			});
		});
	});

	describe("the way to real web servers", () => {
		it("takes what no server of the world answers, as JSON text", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let sent = "";
				world.services.web.connect((request) => {
					sent = request;
					return '{"status":200,"headers":{"ETag":"9"},"body":"real"}';
				});
				world.services.web.serve("https://inside", () => ({ status: 204 }));
				expect(ask(server, { Url: "https://inside/a" }).StatusCode).to.equal(204);
				expect(sent).to.equal("");
				const answer = ask(server, { Url: "http://127.0.0.1:8080/a", Headers: { "If-Match": "1" } });
				expect(answer.Body).to.equal("real");
				expect(answer.Headers.etag).to.equal("9");
				expect(sent.find('"if-match":"1"', 1, true)[0]).to.be.ok();
				world.services.web.connect(() => '{"error":"refused"}');
				const call = () => server.platform.http.RequestAsync({ Url: "http://127.0.0.1:1", Method: "GET" });
				expect(problemOf(server, call)).to.equal("HttpError: ConnectFail");
			});
		});
	});
};
