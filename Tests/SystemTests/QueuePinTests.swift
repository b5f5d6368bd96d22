import CaptureProtocol
import Crypto
import Foundation
import NIOSSL
import TestSupport
import Testing

extension SystemTests.Queue {
    @Test("sends through TLS of the gateway with the pinned key, and after a change of keys with the next one")
    func rightPins() async throws {
        let (phone, authority) = (try await Phone(), try ServerAuthority())
        let keys = [P256.Signing.PrivateKey(), P256.Signing.PrivateKey()]
        let trust = try phone.trust(authority, pins: keys)
        for key in keys {
            let certificate = try phone.write(Array(try authority.leafPEM(key).utf8), as: "gateway.pem")
            let keyFile = try phone.write(Array(key.pemRepresentation.utf8), as: "gateway.key")
            let gateway = try await phone.stack.startGateway(6, settings: ["RIAL_TLS_CERTIFICATE": certificate, "RIAL_TLS_KEY": keyFile])
            _ = try await phone.add()
            let result: Result<Void, any Error>
            do {
                result = .success(try await phone.run(["--until-empty", "--url", "https://localhost:\(gateway.port)"] + trust))
            } catch {
                result = .failure(error)
            }
            try await phone.stack.control("stop", "gateway", 6)
            try result.get()
        }
        #expect(try await phone.captures().map(\.state) == ["uploaded", "uploaded"])
        try await phone.expectOnceEach()
    }

    @Test("sends no byte to a gateway with another key, authority, name or version of TLS, and keeps its captures")
    func refusals() async throws {
        let (phone, authority, key) = (try await Phone(), try ServerAuthority(), P256.Signing.PrivateKey())
        let trust = try phone.trust(authority, pins: [key])
        var oldTLS = try authority.server(key)
        oldTLS.maximumTLSVersion = .tlsv12
        let servers = [
            ("another key", try authority.server(P256.Signing.PrivateKey())),
            ("another authority", try ServerAuthority().server(key)),
            ("another name", try authority.server(key, name: "other.example")),
            ("TLS 1.2", oldTLS),
        ]
        let first = try await phone.add()
        try await phone.expectRefusal(of: servers[0].1, trust, what: "to register a device", id: first, state: "assertion_pending")
        try await phone.run()
        let second = try await phone.add()
        for (what, tls) in servers { try await phone.expectRefusal(of: tls, trust, what: what, id: second, state: "pending") }
        try await phone.throughTLS(try authority.server(key)) { forwarder, url in
            try await phone.run(["--until-empty", "--url", url] + trust)
            #expect(forwarder.receivedBytes > 100_000)
        }
        #expect(try await phone.captures().map(\.state) == ["uploaded", "uploaded"])
        try await phone.expectOnceEach()
    }
}

extension Phone {
    private struct Waiting: Decodable {
        struct Failure: Decodable { let code: String }
        let id: String
        let state: String
        let failures: Int
        let failure: Failure?
    }

    /// The options by which a server of the authority with one of the keys is trusted.
    fileprivate func trust(_ authority: ServerAuthority, pins keys: [P256.Signing.PrivateKey]) throws -> [String] {
        let pins = keys.flatMap { ["--pin", ContentDigest(of: $0.publicKey.derRepresentation).hex] }
        return pins + ["--ca", try write(authority.pem, as: "ca.pem")]
    }

    fileprivate func write(_ bytes: [UInt8], as name: String) throws -> String {
        let url = folder.appendingPathComponent(name)
        try Data(bytes).write(to: url)
        return url.path
    }

    fileprivate func run(_ options: [String]) async throws {
        _ = try await LocalStack.run(Self.program, ["queue", "run", "--store", "\(folder.path)/phone"] + options, stack.addresses)
    }

    /// Has the stack's gateway behind TLS.
    fileprivate func throughTLS(_ tls: TLSConfiguration, _ body: (TLSForwarder, _ url: String) async throws -> Void) async throws {
        let gateway = Int(try TestClient(url: stack.url).port)
        try await TLSForwarder.run(to: gateway, tls) { forwarder, port in try await body(forwarder, "https://localhost:\(port)") }
    }

    /// Sends until the server was refused twice, and expects that nothing came of it.
    fileprivate func expectRefusal(of tls: TLSConfiguration, _ trust: [String], what: String, id: String, state: String) async throws {
        try await throughTLS(tls) { forwarder, url in
            let sender = Process()
            sender.executableURL = URL(fileURLWithPath: Self.program)
            sender.arguments = ["queue", "run", "--store", "\(folder.path)/phone", "--url", url] + trust
            sender.environment = ProcessInfo.processInfo.environment.merging(stack.addresses) { _, new in new }
            try sender.run()
            defer { sender.terminate() }
            // Between two attempts: an upload in progress would be `uploading` until the next start.
            try await eventually("\(what): it waits after the second attempt") {
                guard forwarder.connections >= 2 else { return false }
                return try await waiting(id).state == state
            }
            #expect(forwarder.receivedBytes == 0, "\(what)")
        }
        let capture = try await waiting(id)
        #expect(capture.state == state && capture.failures == 0 && capture.failure?.code == "untrusted", "\(what): \(capture)")
    }

    private func waiting(_ id: String) async throws -> Waiting {
        let list = try JSONDecoder().decode([Waiting].self, from: Data(try await rial("queue", "list", "--json").utf8))
        return try #require(list.first { $0.id == id })
    }
}
