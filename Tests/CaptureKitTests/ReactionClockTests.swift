import Foundation
import Testing

@testable import CaptureKit

@Suite("The server's clock")
struct ReactionClockTests {
    @Test("is read from a date in the form of RFC 9110")
    func readsDates() {
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
        #expect(HTTPDate.parse("Thu, 01 Jan 1970 00:00:00 GMT") == Date(timeIntervalSince1970: 0))
        #expect(HTTPDate.parse("Thu, 29 Feb 2024 23:59:59 GMT") == Date(timeIntervalSince1970: 1_709_251_199))
        #expect(HTTPDate.parse("Wed, 31 Dec 1969 23:59:59 GMT") == Date(timeIntervalSince1970: -1))
        #expect(HTTPDate.parse("Wed, 08 Mar 1916 00:00:00 GMT") == Date(timeIntervalSince1970: -1_698_364_800))
    }

    @Test(
        "is not guessed from anything else",
        arguments: [
            "", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +00",
            "sun, 06 nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 2023 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 8:49:37  GMT", "So., 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49+37 GMT",
            "Sun, ٠٦ Nov 1994 08:49:37 GMT",
        ])
    func refusesOthers(text: String) {
        #expect(HTTPDate.parse(text) == nil)
        #expect(ClockOffset(dateHeader: text, deviceTime: Date()) == nil)
    }

    @Test("is the device's and the offset", arguments: [-360.0, 0, 0.4, 86_400])
    func offsets(ahead: TimeInterval) throws {
        let server = Date(timeIntervalSince1970: 784_111_777)
        let device = server.addingTimeInterval(-ahead)
        let offset = try #require(ClockOffset(dateHeader: "Sun, 06 Nov 1994 08:49:37 GMT", deviceTime: device))
        #expect(abs(offset.serverTime(at: device).timeIntervalSince(server)) < 1)
        #expect(offset.seconds == ahead.rounded())
        #expect(ClockOffset.none.serverTime(at: device) == device)
    }

    @Test(
        "says how long to wait, at most a day",
        arguments: [
            ("0", 0), ("17", 17), ("86400", 86_400), ("86401", 86_400), ("99999999999999999999999", 86_400),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:00 GMT", 0), ("Wed, 06 Nov 2024 08:49:37 GMT", 86_400),
        ])
    func retryAfter(text: String, seconds: Int) {
        let headers = ["retry-after": text, "date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        let response = HTTPResponse(status: 503, headers: headers, body: [])
        #expect(response.retryAfter(at: Date()) == .seconds(seconds))
    }

    @Test("does not say how long to wait in other words", arguments: ["", "-1", "1.5", "soon", "1, 2", "٣"])
    func otherRetryAfter(text: String) {
        #expect(HTTPResponse(status: 503, headers: ["retry-after": text], body: []).retryAfter(at: Date()) == nil)
        #expect(HTTPResponse(status: 503, headers: [:], body: []).retryAfter(at: Date()) == nil)
    }
}
