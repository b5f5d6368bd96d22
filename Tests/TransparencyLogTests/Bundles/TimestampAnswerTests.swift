import CaptureProtocol
import Foundation
import TestSupport
import Testing

@testable import TransparencyLog

@Suite("Time-stamp answers")
struct TimestampAnswerTests {
    private static let nonce: [UInt8] = [0, 0x80, 1, 2, 3, 4, 5, 6]
    private static let imprint = ContentDigest(of: Array("checkpoint".utf8))
    private static let keys = [
        ["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
    ]

    private static func request() throws -> [UInt8] { try TimestampRequest(imprint: imprint, nonce: nonce).bytes() }

    @Test(
        "of openssl verify, with RSA and ECDSA", .enabled(if: OpenSSL.isPresent, "openssl is missing"), arguments: keys)
    func verified(key: [String]) async throws {
        let authority = try TimestampAuthority(key: key)
        let before = Date()
        let answer = try TimestampAnswer(try authority.answer(to: try Self.request()))
        let anchors = try TimestampAnchors(pem: authority.rootPEM)
        let verdict = await answer.verify(imprint: Self.imprint, nonce: Self.nonce, anchors: anchors)
        guard case .verified(let time) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(time == answer.info.time && abs(time.timeIntervalSince(before)) < 60)
        #expect(await answer.verify(imprint: Self.imprint, nonce: nil, anchors: anchors) == .verified(time: time))
        let other = ContentDigest(of: [1])
        #expect(await answer.verify(imprint: other, nonce: Self.nonce, anchors: anchors) == .rejected(.wrongImprint))
        #expect(await answer.verify(imprint: Self.imprint, nonce: Self.nonce.reversed(), anchors: anchors) == .rejected(.wrongNonce))
        let stranger = try TimestampAnchors(pem: try TimestampAuthority(key: key).rootPEM)
        #expect(await answer.verify(imprint: Self.imprint, nonce: Self.nonce, anchors: stranger) == .rejected(.untrusted))
    }

    @Test(
        "by a certificate for something else are refused", .enabled(if: OpenSSL.isPresent, "openssl is missing"),
        arguments: [
            ("critical,timeStamping", true), ("timeStamping", false), ("critical,timeStamping,codeSigning", false),
            ("critical,serverAuth", false),
        ])
    func purpose(usage: String, isRight: Bool) async throws {
        // The certificate must be valid at the time that the content states, which another authority has written.
        let authority = try TimestampAuthority(key: Self.keys[1], usage: usage)
        let content = Array(try TimestampAnswer(try TimestampAuthority().answer(to: try Self.request())).signature.content)
        let answer = try TimestampAnswer(Self.answer(token: try authority.sign(content: content)))
        let anchors = try TimestampAnchors(pem: authority.rootPEM)
        let verdict = await answer.verify(imprint: Self.imprint, nonce: Self.nonce, anchors: anchors)
        #expect(verdict == (isRight ? .verified(time: answer.info.time) : .rejected(.wrongPurpose)))
    }

    @Test("of which the signer does not name its certificate are refused", .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func unnamedCertificate() async throws {
        let authority = try TimestampAuthority(key: Self.keys[1])
        let content = Array(try TimestampAnswer(try authority.answer(to: try Self.request())).signature.content)
        let anchors = try TimestampAnchors(pem: authority.rootPEM)
        // Both signatures are right.
        for isNamed in [true, false] {
            let answer = try TimestampAnswer(Self.answer(token: try authority.sign(content: content, namesCertificate: isNamed)))
            let verdict = await answer.verify(imprint: Self.imprint, nonce: nil, anchors: anchors)
            #expect(verdict == (isNamed ? .verified(time: answer.info.time) : .rejected(.falseSignature)))
        }
    }

    @Test(
        "with more certificates than any chain has are refused before anything is tried",
        .enabled(if: OpenSSL.isPresent, "openssl is missing"), arguments: [5, 6])
    func manyCertificates(others: Int) async throws {
        let authority = try TimestampAuthority(key: Self.keys[1])
        let content = Array(try TimestampAnswer(try authority.answer(to: try Self.request())).signature.content)
        let strangers = try (0..<others).map { _ in try TimestampAuthority(key: Self.keys[1]).rootPEM }
        let token = Self.answer(token: try authority.sign(content: content, beside: strangers))
        guard others < 6 else {
            #expect(throws: (any Error).self) { try TimestampAnswer(token) }
            return
        }
        let anchors = try TimestampAnchors(pem: authority.rootPEM)
        let answer = try TimestampAnswer(token)
        #expect(await answer.verify(imprint: Self.imprint, nonce: Self.nonce, anchors: anchors) == .verified(time: answer.info.time))
    }

    @Test(
        "of a time at which the certificate was not valid are refused", .enabled(if: OpenSSL.isPresent, "openssl is missing"),
        arguments: ["2020", "2096"])
    func outsideValidity(year: String) async throws {
        let authority = try TimestampAuthority(key: Self.keys[1])
        let content = Array(try TimestampAnswer(try authority.answer(to: try Self.request())).signature.content)
        // The time is a GeneralizedTime of 15 bytes that begins with the year. The other years have every day that this one has.
        let time: [UInt8] = [0x18, 15, UInt8(ascii: "2"), UInt8(ascii: "0")]
        let place = try #require(content.indices.first { content[$0...].starts(with: time) })
        var changed = content
        changed.replaceSubrange(place + 2..<place + 6, with: year.utf8)
        let anchors = try TimestampAnchors(pem: authority.rootPEM)
        for (content, isValid) in [(content, true), (changed, false)] {
            let answer = try TimestampAnswer(Self.answer(token: try authority.sign(content: content)))
            let verdict = await answer.verify(imprint: Self.imprint, nonce: nil, anchors: anchors)
            #expect(verdict == (isValid ? .verified(time: answer.info.time) : .rejected(.untrusted)))
        }
    }

    /// A granted answer around a token.
    private static func answer(token: [UInt8]) -> [UInt8] {
        let content = [0x30, 3, 2, 1, 0] + token
        return [0x30, 0x82, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }

    @Test("that were changed prove nothing else", .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func changed() async throws {
        let authority = try TimestampAuthority(key: Self.keys[1])
        let bytes = try authority.answer(to: try Self.request())
        let anchors = try TimestampAnchors(pem: authority.rootPEM)
        let time = try TimestampAnswer(bytes).info.time
        var refused = 0
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            guard let answer = try? TimestampAnswer(changed) else {
                refused += 1
                continue
            }
            // Certificates that the chain does not need may be changed, and the status text; what was signed may not.
            switch await answer.verify(imprint: Self.imprint, nonce: Self.nonce, anchors: anchors) {
            case .verified(let other): #expect(other == time, "byte \(index)")
            case .rejected: refused += 1
            }
        }
        #expect(refused > bytes.count / 2)
        for count in bytes.indices { #expect(throws: BundleError.self) { try TimestampAnswer(Array(bytes[..<count])) } }
        #expect(throws: BundleError.self) { try TimestampAnswer(bytes + [0]) }
    }

    @Test("outlive the certificate that made them", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
    func later() async throws {
        let bundle = try EvidenceBundle(try Vectors.bytes("bundle/stamped.rial"))
        let answer = try TimestampAnswer(try #require(bundle.statements.first?.timestamp))
        let anchors = try TimestampAnchors(pem: String(decoding: try Vectors.bytes("bundle/tsa-root.pem"), as: UTF8.self))
        let imprint = try ExampleBundle.digest("90066656fa3bf446462b429d5139a84027d9e5a6a4145a29cc7129c3b8cf4307")
        let time = try ExampleBundle.time("2026-11-22T01:32:31Z")
        #expect(await answer.verify(imprint: imprint, nonce: nil, anchors: anchors) == .verified(time: time))
        let nonce: [UInt8] = [0xeb, 0xd7, 0x96, 0xf8, 0xbe, 0x8d, 0xda, 0xce]
        #expect(await answer.verify(imprint: imprint, nonce: nonce, anchors: anchors) == .verified(time: time))
        #expect(answer.isOver(imprint) && !answer.isOver(ContentDigest(of: [1])))
    }

    @Test(
        "that refuse or are none are refused",
        arguments: [
            [], [0x30, 0], [0x30, 5, 0x30, 3, 2, 1, 2], [0x30, 5, 0x30, 3, 2, 1, 0], [UInt8](repeating: 0x30, count: 1000),
            [UInt8](repeating: 0, count: 70_000), [0x30, 0x80, 0, 0],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) { #expect(throws: BundleError.self) { try TimestampAnswer(bytes) } }

    @Test("are asked for with a digest, a nonce and the wish for certificates")
    func request() throws {
        let bytes = try Self.request()
        let algorithm: [UInt8] = [0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0]
        let parts: [[UInt8]] = [
            [2, 1, 1], [0x30, 49], algorithm, [4, 32], Self.imprint.bytes, [2, 8, 0], Array(Self.nonce.dropFirst()), [1, 1, 0xff],
        ]
        let content = parts.flatMap { $0 }
        #expect(bytes == [0x30, UInt8(content.count)] + content)
        #expect(throws: BundleError.self) { try TimestampRequest(imprint: Self.imprint, nonce: []).bytes() }
        #expect(throws: BundleError.self) { try TimestampRequest(imprint: Self.imprint, nonce: [UInt8](repeating: 1, count: 33)).bytes() }
    }

    @Test("end at certificates", arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "text"])
    func anchors(pem: String) { #expect(throws: BundleError.self) { try TimestampAnchors(pem: pem) } }
}
