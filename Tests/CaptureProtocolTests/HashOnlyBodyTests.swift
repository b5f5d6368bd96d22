import Foundation
import Testing

@testable import CaptureProtocol

@Suite("Body of a hash-only capture")
struct HashOnlyBodyTests {
    private func failure(_ text: String) -> HashOnlyBody.Failure? {
        do throws(HashOnlyBody.Failure) {
            _ = try HashOnlyBody.parse(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    private func field(_ text: String) -> String? {
        guard case .malformed(let error)? = failure(text) else { return nil }
        return error.field
    }

    @Test("is read as it was written")
    func roundTrip() throws {
        let body = HashOnlyBody(payload: Array(0...255), assertion: [0xa1, 0xff, 0xfe])
        #expect(try HashOnlyBody.parse(body.bytes()) == body)
    }

    @Test("with the largest payload has less than 14 KB")
    func size() {
        #expect(
            HashOnlyBody(payload: [UInt8](repeating: 1, count: 10_000), assertion: [UInt8](repeating: 1, count: 300)).bytes().count < 14_000
        )
    }

    @Test(
        "has just three members",
        arguments: [
            (#"{"payload": "AA==", "assertion": "AA=="}"#, "mode"), (#"{"mode": "full", "payload": "AA==", "assertion": "AA=="}"#, "mode"),
            (#"{"mode": "hash_only", "assertion": "AA=="}"#, "payload"), (#"{"mode": "hash_only", "payload": "AA=="}"#, "assertion"),
            (#"{"mode": "hash_only", "payload": "?", "assertion": "AA=="}"#, "payload"),
            (#"{"mode": "hash_only", "payload": "", "assertion": "AA=="}"#, "payload"),
            (#"{"mode": "hash_only", "payload": "AA==", "assertion": null}"#, "assertion"),
            (#"{"mode": "hash_only", "payload": "AA==", "assertion": "AA==", "photo": ""}"#, "photo"),
            (#"{"mode": "hash_only", "mode": "hash_only", "payload": "AA==", "assertion": "AA=="}"#, "mode"), ("[]", "body"),
        ])
    func members(text: String, field: String) { #expect(self.field(text) == field) }

    @Test("tells a payload that is too large and an assertion that is no base64 from a wrong form")
    func others() {
        let large = Base64.encode([UInt8](repeating: 1, count: 10_001))
        #expect(failure(#"{"mode": "hash_only", "payload": "\#(large)", "assertion": "?"}"#) == .payloadTooLarge)
        #expect(failure(#"{"mode": "hash_only", "payload": "AA==", "assertion": "?"}"#) == .assertionNotBase64)
    }
}
