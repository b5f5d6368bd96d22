import CaptureKit
import CaptureProtocol
import Crypto
import Foundation
import NIOSSL
import RialClient
import TestSupport
import Testing

@Suite("Pins", .serialized)
struct PinTests {
    private let authority: ServerAuthority
    private let key = P256.Signing.PrivateKey()

    init() throws { authority = try ServerAuthority() }

    /// Expects that the server is refused before it gets a byte of the request.
    private func expectRefusal(
        by trust: ServerTrust, of tls: TLSConfiguration, host: String = "localhost", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let roots = try authority.pem
        try await TransportServer.run(.answer(), tls: tls) { server in
            try await withTransport("https://\(host):\(server.port)", trust: trust, roots: roots) { transport in
                for _ in 1...3 {
                    let failure = await #expect(throws: TransportFailure.self, sourceLocation: sourceLocation) {
                        try await transport.send(HTTPRequest("POST", "/", body: BytesBody([1])))
                    }
                    guard case .untrusted = failure else {
                        Issue.record("\(String(describing: failure))", sourceLocation: sourceLocation)
                        return
                    }
                }
                await #expect(throws: Never.self, sourceLocation: sourceLocation) {
                    try await eventually("the connections are closed") { server.openConnections == 0 }
                }
                #expect(server.receivedBytes == 0, sourceLocation: sourceLocation)
            }
        }
    }

    /// Expects that the server gets the request.
    private func expectAnswer(from tls: TLSConfiguration, trust: ServerTrust) async throws {
        let roots = try authority.pem
        try await TransportServer.run(.answer(status: 201), tls: tls) { server in
            try await withTransport("https://localhost:\(server.port)", trust: trust, roots: roots) { transport in
                let bytes = [UInt8](repeating: 1, count: 1_000_000)
                for _ in 1...2 {
                    let response = try await transport.send(HTTPRequest("POST", "/", body: BytesBody(bytes)))
                    #expect(response.status == 201)
                }
                #expect(server.requests.map(\.body) == [bytes, bytes])
            }
        }
    }

    @Test("let the server with the pinned key through")
    func right() async throws {
        try await expectAnswer(from: authority.server(key), trust: ServerTrust(keys: key))
    }

    @Test("let a server with either of two keys through")
    func rotated() async throws {
        let next = P256.Signing.PrivateKey()
        try await expectAnswer(from: authority.server(key), trust: ServerTrust(keys: key, next))
        try await expectAnswer(from: authority.server(next), trust: ServerTrust(keys: key, next))
    }

    @Test("refuse a server with another key, though its certificate is good")
    func wrong() async throws {
        try await expectRefusal(by: ServerTrust(keys: P256.Signing.PrivateKey()), of: authority.server(key))
    }

    @Test("do not replace the check of the chain")
    func otherAuthority() async throws {
        try await expectRefusal(by: ServerTrust(keys: key), of: ServerAuthority().server(key))
    }

    @Test("do not replace the check of the name")
    func wrongName() async throws {
        try await expectRefusal(by: ServerTrust(keys: key), of: authority.server(key, name: "other.example"))
        try await expectRefusal(by: ServerTrust(keys: key), of: authority.server(key), host: "127.0.0.1")
    }

    @Test("do not replace the check of the dates")
    func expired() async throws {
        try await expectRefusal(by: ServerTrust(keys: key), of: authority.server(key, expired: true))
    }

    @Test("are not enough for a server without TLS 1.3")
    func oldTLS() async throws {
        var tls = try authority.server(key)
        tls.maximumTLSVersion = .tlsv12
        try await expectRefusal(by: ServerTrust(keys: key), of: tls)
    }

    @Test("may be missing in development, where the other checks stay")
    func development() async throws {
        let trust = ServerTrust(pins: .none, isDevelopment: true)
        try await expectAnswer(from: authority.server(key), trust: trust)
        try await expectRefusal(by: trust, of: ServerAuthority().server(key))
    }
}

extension ServerTrust {
    /// Trusts servers with one of these keys.
    init(keys: P256.Signing.PrivateKey...) {
        self.init(pins: PinSet(Set(keys.map { ContentDigest(of: $0.publicKey.derRepresentation) })))
    }
}
