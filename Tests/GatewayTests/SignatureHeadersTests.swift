import CaptureProtocol
import HTTPTypes
import Testing

@testable import Gateway

@Suite("Signature headers")
struct SignatureHeadersTests {
    private static let whole: HTTPFields = [.deviceID: "d", .deviceTimestamp: "1", .deviceSignature: "s"]
    private static let required: [HTTPField.Name] = [.deviceID, .deviceTimestamp, .deviceSignature]

    @Test("a request without a version is of version 1")
    func defaultVersion() throws {
        #expect(try SignatureHeaders(Self.whole).version == "1")
        var fields = Self.whole
        fields[.deviceSignatureVersion] = "2"
        #expect(try SignatureHeaders(fields).version == "2")
    }

    @Test("each missing header is named", arguments: required)
    func missing(name: HTTPField.Name) {
        var fields = Self.whole
        fields[name] = nil
        let refused = refusal { _ = try SignatureHeaders(fields) }
        #expect(refused?.code == .deviceAuthRequired)
        #expect(refused?.details.map(\.field) == [name.rawName])
    }

    @Test("an empty header is a missing one", arguments: required)
    func empty(name: HTTPField.Name) {
        var fields = Self.whole
        fields[name] = ""
        #expect(refusal { _ = try SignatureHeaders(fields) }?.details.map(\.field) == [name.rawName])
    }

    @Test("one header alone makes a request a signed one", arguments: SignatureHeaders.names)
    func isAny(name: HTTPField.Name) {
        #expect(SignatureHeaders.isAny(in: [name: "x"]))
        #expect(!SignatureHeaders.isAny(in: [.accept: "x"]))
    }
}
