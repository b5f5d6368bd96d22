import CaptureKit
import Testing

@Suite("An error of the server")
struct ReactionServerErrorTests {
    private static func error(_ body: String) -> ServerError {
        ServerError(HTTPResponse(status: 418, headers: [:], body: Array(body.utf8)))
    }

    @Test("has code, message and details of the envelope")
    func readsEnvelope() {
        let body =
            "{\"error\": {\"code\": \"GONE\", \"message\": \"Away.\", \"details\": {\"b\": [1, \"/\", null], \"a\": 1.5}}, \"meta\": {}}"
        #expect(Self.error(body) == ServerError(status: 418, code: "GONE", message: "Away.", details: "{\"a\":1.5,\"b\":[1,\"/\",null]}"))
        #expect(Self.error("{\"error\": {\"code\": \"GONE\", \"message\": \"\", \"details\": null}}").details == nil)
    }

    @Test(
        "has a status and nothing else if the answer is of another",
        arguments: ["", "<html>", "[]", "{}", "{\"error\": 1}", "{\"error\": {}}", "{\"error\": {\"code\": \"A\", \"code\": \"B\"}}"])
    func otherAnswers(body: String) {
        let error = Self.error(body)
        #expect(error == ServerError(status: 418, code: nil, message: "the server answered with status 418"))
    }

    @Test("has no code that is not one", arguments: ["", "gone", "GONE\\n", "<b>", String(repeating: "A", count: 65)])
    func strangeCodes(code: String) {
        #expect(Self.error("{\"error\": {\"code\": \"\(code)\"}}").code == nil)
    }

    @Test("has bounds")
    func bounds() {
        let long = String(repeating: "x", count: 20_000)
        let error = Self.error("{\"error\": {\"code\": \"GONE\", \"message\": \"\(long)\", \"details\": \"\(long)\"}}")
        #expect(error.message.count == 1000)
        #expect(error.details == nil)
        #expect(Self.error("{\"error\": {\"details\": 1e999}}").details == nil)
    }
}
