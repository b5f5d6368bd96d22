import CaptureProtocol
import HTTPTypes
import Models
import Testing

@testable import Gateway

@Suite("Limits of concurrency")
struct ConcurrencyLimitTests {
    @Test("a permit is released once, by hand or with its last reference")
    func releases() throws {
        let limit = ConcurrencyLimit("things", .init(total: 1), metric: "test_permits")
        do {
            let permit = try limit.acquire(address: "a")
            permit.release()
            permit.release()
            let again = try limit.acquire(address: "b")
            #expect(refusal { _ = try limit.acquire(address: "c") }?.code == .serviceUnavailable)
            withExtendedLifetime(again) {}
        }
        withExtendedLifetime(try limit.acquire(address: "d")) {}
    }

    @Test("refusals say when to come again, by whose limit it was")
    func refusals() throws {
        let limit = ConcurrencyLimit("uploads", .init(total: 2, perAddress: 1), metric: "test_permits")
        let held = [try limit.acquire(address: "a"), try limit.acquire(address: "b")]
        let (ofAddress, ofAll) = (refusal { _ = try limit.acquire(address: "a") }, refusal { _ = try limit.acquire(address: "c") })
        #expect(ofAddress?.code == .rateLimited && ofAddress?.headers[.retryAfter] == "5")
        #expect(ofAll?.code == .serviceUnavailable && ofAll?.headers[.retryAfter] == "1")
        withExtendedLifetime(held) {}
    }

    @Test("of many who ask at once exactly as many get a permit as there are", arguments: [(7, 0, 7), (1000, 3, 3)])
    func race(total: Int, perAddress: Int, granted: Int) async {
        let limit = ConcurrencyLimit("things", .init(total: total, perAddress: perAddress), metric: "test_permits")
        let held = await withTaskGroup(of: ConcurrencyLimit.Permit?.self) { group in
            for _ in 0..<200 { group.addTask { try? limit.acquire(address: "a") } }
            return await group.reduce(into: [ConcurrencyLimit.Permit]()) { held, permit in if let permit { held.append(permit) } }
        }
        #expect(held.count == granted)
    }
}
