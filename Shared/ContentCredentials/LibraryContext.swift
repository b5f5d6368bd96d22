import CC2PA
import Foundation
import Models

/// The library's settings, created once and shared by readers and builders.
///
/// `@unchecked Sendable`: the handle is never changed, and the library is thread-safe for it (documented upstream, and measured).
final class LibraryContext: @unchecked Sendable {
    let handle: OpaquePointer

    /// Names of the anchor lists, by which the library reports which list vouches for a signer. It also accepts signers from lists of other
    /// kinds (measured), so only the name is reliable.
    static let voucherNames: [CredentialReport.Voucher: String] = [.own: "urn:rial:own:v1", .listed: "urn:rial:trust:v1"]
    private static let timestampListName = "urn:rial:timestamp:v1"

    /// The most that the library holds in memory of a copy.
    static let memoryMiB = 16

    /// Extended key usages that signers may have: e-mail protection, document signing, time stamping, OCSP, Microsoft's and C2PA's own.
    /// Without this list, files of legitimate signers would be invalid.
    private static let purposes = [
        "1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.36", "1.3.6.1.5.5.7.3.8", "1.3.6.1.5.5.7.3.9", "1.3.6.1.4.1.311.76.59.1.9",
        "1.3.6.1.4.1.62558.2.1",
    ]

    /// - Parameters:
    ///   - anchors: PEM of certificates that vouch for signers, by list.
    ///   - timestampAnchors: PEM of certificates that vouch for time-stamp authorities; `nil` for none.
    init(anchors: [CredentialReport.Voucher: String], timestampAnchors: String?) throws(CredentialError) {
        var lists: [[String: String]] = []
        // Our own list first, so that a certificate on both lists counts as ours.
        for voucher in [CredentialReport.Voucher.own, .listed] {
            guard let pem = anchors[voucher], let name = Self.voucherNames[voucher] else { continue }
            lists.append(["trust_anchors": pem, "trust_kind": "manifest", "trust_uri": name])
        }
        if let timestampAnchors {
            lists.append(["trust_anchors": timestampAnchors, "trust_kind": "tsa", "trust_uri": Self.timestampListName])
        }
        var trust: [String: Any] = ["trust_config": Self.purposes.joined(separator: "\n") + "\n"]
        if !lists.isEmpty { trust["anchors"] = lists }
        let settings: [String: Any] = [
            "version": 1,
            "verify": ["remote_manifest_fetch": false, "ocsp_fetch": false, "verify_after_sign": true],
            "core": [
                "allowed_network_hosts": [String](), "allow_redirects": false, "decode_identity_assertions": false,
                "backing_store_memory_threshold_in_mb": Self.memoryMiB,
            ],
            "builder": ["thumbnail": ["enabled": false]],
            "trust": trust,
        ]
        guard let json = try? JSONSerialization.data(withJSONObject: settings), let values = c2pa_settings_new() else {
            throw .refused("settings")
        }
        defer { c2pa_free(UnsafeRawPointer(values)) }
        guard c2pa_settings_update_from_string(values, String(decoding: json, as: UTF8.self), "json") == 0 else {
            throw .refused(LibraryError.last.text)
        }
        guard let builder = c2pa_context_builder_new() else { throw .refused("context") }
        guard c2pa_context_builder_set_settings(builder, values) == 0 else {
            let error = LibraryError.last
            c2pa_free(UnsafeRawPointer(builder))
            throw .refused(error.text)
        }
        guard let handle = c2pa_context_builder_build(builder) else { throw .refused(LibraryError.last.text) }
        self.handle = handle
    }

    deinit { c2pa_free(UnsafeRawPointer(handle)) }
}
