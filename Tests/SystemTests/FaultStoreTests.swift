import Foundation
import TestSupport
import Testing

/// Errors of the store that do not depend on the object.
struct StoreRefusal: Sendable, CustomTestStringConvertible {
    let how: StoreProxy.Refusal
    let testDescription: String

    private static let all = [
        StoreRefusal(how: .status(403, code: "InvalidAccessKeyId"), testDescription: "403, a key that it does not know"),
        StoreRefusal(how: .status(403, code: "RequestTimeTooSkewed"), testDescription: "403, a clock that is off"),
        StoreRefusal(how: .status(404, code: "NoSuchBucket"), testDescription: "404, the bucket"),
        StoreRefusal(how: .status(503, code: "SlowDown"), testDescription: "503"),
        StoreRefusal(how: .status(400, code: "ExpiredToken"), testDescription: "400, a credential that ran out"),
        StoreRefusal(how: .closed, testDescription: "connections closed"),
    ]

    static let chosen = FaultTests.isFull ? all : Array(all.prefix(1))
}

extension FaultTests {
    @Suite("An object store that refuses requests for 20 s")
    struct Store {
        @Test(
            "makes no capture fail, is told in readiness and health, and is 503 to clients", .timeLimit(.minutes(8)),
            arguments: StoreRefusal.chosen)
        func refuses(_ refusal: StoreRefusal) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let store = try FaultProxies.required().store
            let captures = try await CapturesAroundFault(early: 3)
            let before = store.refused
            let sent = try await during(.seconds(20)) {
                store.refuse(refusal.how)
            } end: {
                store.comeBack()
            } seen: {
                for service in LocalStack.services {
                    try await stack.expect(service, "storage", isUp: false, within: .seconds(60))
                    #expect(try await stack.admin(service, "/livez").status == 200)
                }
                let health = try await client.send("GET", "/health")
                #expect(health.status == 503 && health.json["storage"] as? String == "unreachable")
            } work: {
                async let first = captures.late[0].sent(within: .seconds(150))
                async let second = captures.late[1].sent(within: .seconds(150))
                return [try await first, try await second]
            }
            #expect(store.refused > before)
            for capture in sent { capture.expectOnlyRetryLater("capture, \(refusal.testDescription)") }
            for service in LocalStack.services { try await stack.expect(service, "storage", isUp: true, within: .seconds(60)) }
            let ids = captures.ids + sent.map(\.value.id)
            try await stack.expectWhole(ids, of: captures.device, refusal.testDescription)
            for (capture, id) in zip(captures.early + captures.late, ids) { try await capture.expectOriginal(of: id, in: stack) }
        }
    }
}
