import Foundation
import TestSupport
import Testing

@testable import Attestation

@Suite("Receipts", .enabled(if: SharedData.isPresent, "needs ../shared/data/appattest"))
struct ReceiptTests {
    let appraiser = ReceiptAppraiser()

    @Test("every genuine receipt is verified, with its fields")
    func genuine() async throws {
        let vectors = try Vectors.load()
        #expect(vectors.receipts.count == 20)
        for vector in vectors.receipts {
            let subject = try #require(owner(of: vector, in: vectors), "\(vector.id) belongs to no attestation")
            let verdict = await appraiser.appraise(Array(vector.receipt), of: subject, at: vector.validAt, maximumAge: 300)
            guard case .verified(let receipt) = verdict else {
                Issue.record("\(vector.id): \(verdict)")
                continue
            }
            let expected = vector.expected
            #expect(receipt.appID == expected.appId && receipt.kind.rawValue == expected.receiptType, "\(vector.id)")
            #expect(
                receipt.clientHash == Array(expected.clientHashField) && receipt.token == Array(expected.tokenField.utf8), "\(vector.id)")
            #expect(receipt.environment == .development && expected.environment == "sandbox", "\(vector.id)")
            #expect(receipt.riskMetric == expected.riskMetric.flatMap { Int($0) }, "\(vector.id)")
            #expect(near(receipt.createdAt, expected.creationTime) && near(receipt.expiresAt, expected.expirationTime), "\(vector.id)")
            #expect(near(receipt.notBefore, expected.notBefore), "\(vector.id)")
        }
    }

    /// The published objects of August and September 2020 have receipts with invalid signatures.
    @Test("the receipts inside genuine attestations are verified, except those of the first two months")
    func insideAttestations() async throws {
        for vector in try Vectors.load().attestations {
            let attestation = try #require(try verified(vector))
            guard let receipt = attestation.receipt else { continue }
            let isEarly = vector.id.contains("-202008-") || vector.id.contains("-202009-")
            let verdict = await appraiser.appraise(receipt, of: ReceiptSubject(attestation), at: vector.validAt, maximumAge: nil)
            if case .verified(let fields) = verdict {
                #expect(!isEarly, "\(vector.id)")
                #expect(fields.kind == .attest && fields.clientHash == Array(vector.clientDataHash), "\(vector.id)")
            } else {
                #expect(isEarly && verdict == .rejected(.invalid), "\(vector.id): \(verdict)")
            }
        }
    }

    @Test("a changed receipt and the receipt of another key are refused, each with its own reason")
    func negatives() async throws {
        let negatives = try Negatives.load().negatives.filter { $0.requires == "receiptValidation" }
        #expect(negatives.count == 2)
        for negative in negatives {
            let attestation = try #require(try verified(negative))
            let receipt = try #require(attestation.receipt)
            let time = try #require(negative.validAt)
            let verdict = await appraiser.appraise(receipt, of: ReceiptSubject(attestation), at: time, maximumAge: nil)
            guard case .rejected(let failure) = verdict else {
                Issue.record("\(negative.id): accepted")
                continue
            }
            #expect(negative.errorClassesAccepted.contains(failure.rawValue), "\(negative.id): \(failure)")
        }
    }

    @Test("a receipt is valid for one app, one environment and a limited time")
    func subjects() async throws {
        let vectors = try Vectors.load()
        let vector = try #require(vectors.receipts.first)
        let subject = try #require(owner(of: vector, in: vectors))
        let receipt = Array(vector.receipt)
        let otherApp = ReceiptSubject(appID: "ABCDE12345.other", publicKeyX963: subject.publicKeyX963, environment: .development)
        let otherEnvironment = ReceiptSubject(appID: subject.appID, publicKeyX963: subject.publicKeyX963, environment: .production)
        #expect(await appraiser.appraise(receipt, of: otherApp, at: vector.validAt, maximumAge: 300) == .rejected(.mismatch))
        #expect(await appraiser.appraise(receipt, of: otherEnvironment, at: vector.validAt, maximumAge: 300) == .rejected(.mismatch))
        // Received too long after its creation, and too long before it.
        for offset in [301.0, -301] {
            let time = vector.expected.creationTime.addingTimeInterval(offset)
            #expect(await appraiser.appraise(receipt, of: subject, at: time, maximumAge: 300) == .rejected(.stale), "\(offset) s")
        }
        let expired = vector.expected.signerNotAfter.addingTimeInterval(1)
        #expect(await appraiser.appraise(receipt, of: subject, at: expired, maximumAge: nil) == .rejected(.invalid))
    }

    @Test("no prefix of a receipt and no receipt with a flipped bit is verified with other fields")
    func sweeps() async throws {
        let vectors = try Vectors.load()
        let vector = try #require(vectors.receipts.first)
        let subject = try #require(owner(of: vector, in: vectors))
        let genuine = await appraiser.appraise(Array(vector.receipt), of: subject, at: vector.validAt, maximumAge: nil)
        var accepted = 0
        for index in stride(from: 0, to: vector.receipt.count, by: 7) {
            let prefix = Array(vector.receipt.prefix(index))
            let cut = await appraiser.appraise(prefix, of: subject, at: vector.validAt, maximumAge: nil)
            #expect(cut == .rejected(.invalid), "prefix of \(index)")
            var changed = Array(vector.receipt)
            changed[index] ^= 0x10
            let verdict = await appraiser.appraise(changed, of: subject, at: vector.validAt, maximumAge: nil)
            if verdict == genuine { accepted += 1 } else if case .verified = verdict { Issue.record("other fields at \(index)") }
        }
        // Changes of unsigned bytes: the enclosed root and the framing around it.
        #expect(accepted < 200)
    }

    @Test("a receipt may enclose four certificates, each of another subject: what more there is would be verified in every order")
    func certificates() async throws {
        let vectors = try Vectors.load()
        let vector = try #require(vectors.receipts.first)
        let subject = try #require(owner(of: vector, in: vectors))
        let enclosed = try certificate("Apple_Root_CA_G3")
        let others = try ["Apple_App_Attestation_Root_CA", "Apple_App_Attestation_CA_1"].map(certificate)
        // The receipt's own certificates end with the root, and the lengths around them are indefinite.
        let end = try #require(vector.receipt.range(of: Data(enclosed))).upperBound
        func verdict(adding certificates: [[UInt8]]) async -> ReceiptVerdict {
            var receipt = Array(vector.receipt[..<end])
            for certificate in certificates { receipt += certificate }
            receipt += vector.receipt[end...]
            return await appraiser.appraise(receipt, of: subject, at: vector.validAt, maximumAge: nil)
        }
        let genuine = await verdict(adding: [])
        guard case .verified = genuine else {
            Issue.record("\(genuine)")
            return
        }
        #expect(await verdict(adding: [others[0]]) == genuine)
        #expect(await verdict(adding: others) == .rejected(.invalid))
        #expect(await verdict(adding: [enclosed]) == .rejected(.invalid))
    }

    @Test(
        "a receipt is signed by the receipt signer alone, not by others whose certificates come from the same root",
        .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func signers() async throws {
        let vectors = try Vectors.load()
        let vector = try #require(vectors.receipts.first)
        let subject = try #require(owner(of: vector, in: vectors))
        let genuine = await appraiser.appraise(Array(vector.receipt), of: subject, at: vector.validAt, maximumAge: nil)
        guard case .verified = genuine else {
            Issue.record("\(genuine)")
            return
        }
        let content = Array(try #require(SignedData(Array(vector.receipt))).content)
        let authority = try ReceiptAuthority()
        let trusting = try ReceiptAppraiser(rootPEM: authority.rootPEM)
        let now = Date()
        let receipt = try authority.sign(content, as: .receiptSigner)
        #expect(await trusting.appraise(receipt, of: subject, at: now, maximumAge: nil) == genuine)
        #expect(await appraiser.appraise(receipt, of: subject, at: now, maximumAge: nil) == .rejected(.invalid))
        let other = try authority.sign(content, as: .other)
        #expect(await trusting.appraise(other, of: subject, at: now, maximumAge: nil) == .rejected(.invalid))
    }

    private func certificate(_ name: String) throws -> [UInt8] {
        let pem = String(decoding: try SharedData.data("appattest/\(name).pem"), as: UTF8.self)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Array(try #require(Data(base64Encoded: lines.joined(), options: .ignoreUnknownCharacters)))
    }

    static let hostile: [[UInt8]] = [
        [], [0x30], [0x30, 0x80], [UInt8](repeating: 0x30, count: 4_000), [UInt8](repeating: 0, count: 70_000),
        Array([[UInt8]](repeating: [0x30, 0x80], count: 20_000).joined()),
    ]

    @Test("hostile bytes are refused", arguments: hostile)
    func refusesHostile(bytes: [UInt8]) async {
        let subject = ReceiptSubject(appID: "a", publicKeyX963: [], environment: .production)
        #expect(await appraiser.appraise(bytes, of: subject, at: Date(), maximumAge: 300) == .rejected(.invalid))
    }

    private func near(_ left: Date?, _ right: Date?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return abs(left.timeIntervalSince(right)) < 0.001
    }

    /// The receipt's key is that of the attestation with the same key id, which the receipt's own certificate proves.
    private func owner(of vector: ReceiptVector, in vectors: Vectors) -> ReceiptSubject? {
        guard let owner = vectors.attestations.first(where: { $0.keyId == vector.keyId }) else { return nil }
        return ReceiptSubject(appID: owner.appId, publicKeyX963: Array(owner.expected.publicKeyX963), environment: .development)
    }

    private func verified(_ vector: AttestationVector) throws -> VerifiedAttestation? {
        let verdict = try appraise(
            vector.attestationObject, keyID: vector.keyId, appID: vector.appId, environment: vector.environment,
            hash: vector.clientDataHash, at: vector.validAt, anchor: vector.trustAnchor)
        if case .verified(let attestation) = verdict { return attestation }
        return nil
    }

    private func verified(_ negative: Negative) throws -> VerifiedAttestation? {
        let verdict = try appraise(
            #require(negative.attestationObject), keyID: #require(negative.keyId), appID: negative.appId,
            environment: #require(negative.environment), hash: negative.clientDataHash, at: #require(negative.validAt),
            anchor: #require(negative.trustAnchor))
        if case .verified(let attestation) = verdict { return attestation }
        return nil
    }
}
