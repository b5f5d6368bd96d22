import CaptureProtocol
import Testing

@testable import Models

@Suite("Detection report")
struct DetectionReportTests {
    @Test("is stored as sent, integers as integers")
    func kept() throws {
        let text = #"{"moire":{"frequencies":[1,2],"score":0.25},"note":"ok","real":true,"unknown":null}"#
        #expect(try WireJSON.encode(try DetectionReport(parsing: Array(text.utf8))) == Array(text.utf8))
    }

    @Test(
        "what could not be kept or is no object is refused",
        arguments: [
            "", "[]", "1", "{", #"{"a":"\u0000"}"#, #"{"\u0000":1}"#, #"{"a":1e400}"#, #"{"a":1e21}"#, #"{"a":-1e21}"#, #"{"a":1e-21}"#,
            #"{"a":1,"a":2}"#,
            String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40),
        ])
    func refused(text: String) {
        #expect(throws: MetadataError.self) { try DetectionReport(parsing: Array(text.utf8)) }
    }
}
