import Crypto
import Foundation
import NIOSSL
import TestSupport
import Testing

@testable import CaptureKit

@Suite("The queue before a server that it does not trust", .serialized)
struct PinQueueTests {
    /// What is wrong with the server.
    enum Server: CaseIterable {
        case otherKey, otherAuthority, otherName, oldTLS

        fileprivate func configuration(_ authority: ServerAuthority, _ key: P256.Signing.PrivateKey) throws -> TLSConfiguration {
            switch self {
            case .otherKey: return try authority.server(P256.Signing.PrivateKey())
            case .otherAuthority: return try ServerAuthority().server(key)
            case .otherName: return try authority.server(key, name: "other.example")
            case .oldTLS:
                var tls = try authority.server(key)
                tls.maximumTLSVersion = .tlsv12
                return tls
            }
        }
    }

    @Test("keeps its captures pending however often it is refused, and sends no byte of them", arguments: Server.allCases)
    func refused(_ server: Server) async throws {
        let (authority, key) = (try ServerAuthority(), P256.Signing.PrivateKey())
        let rig = try QueueRig()
        let capture = try await rig.queue().add(SampleContent())
        // More often than a server's errors would be counted.
        try await Self.refusals(rig, by: ServerTrust(keys: key), authority, of: server.configuration(authority, key), until: 8)
        let left = try await rig.queue().capture(capture.id)
        #expect(left.state == .pending)
        #expect(left.failures == 0)
        #expect(left.facts.failure?.code == "untrusted")
        #expect(left.hasContent && left.hasAssertion)

        // The right server gets it.
        try await TransportServer.run(.answer(status: 503), tls: authority.server(key)) { right in
            try await withTransport(
                "https://localhost:\(right.port)", trust: ServerTrust(keys: key), roots: authority.pem
            ) { transport in
                let queue = try await rig.queue(transport)
                let sender = Task { try await queue.run() }
                try await eventually("the capture has arrived") {
                    right.requests.contains { $0.headers["x-digest"] != nil && $0.body.count > 70_000 }
                }
                sender.cancel()
                _ = await sender.result
            }
        }
    }

    @Test("leaves no descriptor open after 200 refusals")
    func descriptors() async {
        // In a process of its own: no other test opens files meanwhile.
        await #expect(processExitsWith: .success) {
            let (authority, rig) = (try ServerAuthority(), try QueueRig())
            let trust = ServerTrust(keys: P256.Signing.PrivateKey())
            let server = try authority.server(P256.Signing.PrivateKey())
            _ = try await rig.queue().add(SampleContent())
            // The event loops and the database have their descriptors afterwards.
            try await Self.refusals(rig, by: trust, authority, of: server, until: 20)
            let before = try Self.openDescriptors()
            try await Self.refusals(rig, by: trust, authority, of: server, until: 200)
            let closed: Void? = try? await eventually("they are closed") { try Self.openDescriptors() <= before }
            let after = try Self.openDescriptors()
            #expect(closed != nil, "\(before) before, \(after) afterwards")
        }
    }

    /// Runs a queue until the server was refused so often.
    private static func refusals(
        _ rig: QueueRig, by trust: ServerTrust, _ authority: ServerAuthority, of tls: TLSConfiguration, until count: Int
    ) async throws {
        let roots = try authority.pem
        try await TransportServer.run(.answer(status: 201), tls: tls) { server in
            try await withTransport("https://localhost:\(server.port)", trust: trust, roots: roots) { transport in
                let queue = try await rig.queue(transport)
                let sender = Task { try await queue.run() }
                // Each time the app comes to the foreground it is tried again, without the waits that have grown.
                try await eventually(within: .seconds(300), "\(count) refusals") {
                    try await queue.resume()
                    return server.accepted >= count
                }
                sender.cancel()
                _ = await sender.result
                #expect(server.receivedBytes == 0)
                try await queue.store.close()
            }
        }
    }

    private static func openDescriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
}
