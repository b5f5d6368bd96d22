import Foundation

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address counts as IPv4.
struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes, in network order.
    let bytes: [UInt8]

    init?(_ text: String) {
        // In network order, as inet_pton(3) writes it.
        var all = [UInt8](repeating: 0, count: 16)
        let bare = text.split(separator: "%").first.map(String.init) ?? text
        if inet_pton(AF_INET, bare, &all) == 1 {
            bytes = Array(all[..<4])
        } else if inet_pton(AF_INET6, bare, &all) == 1 {
            let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xff && all[11] == 0xff
            bytes = isMapped ? Array(all[12...]) : all
        } else {
            return nil
        }
    }

    /// An entry of `X-Forwarded-For`: an address with an optional port: `192.0.2.7:4711`, `[2001:db8::7]:4711`, `[2001:db8::7]`.
    init?(forwarded text: String) {
        var address = text[...]
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            address = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":"), address.contains(":") else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = text.firstIndex(of: ":"), !text[text.index(after: colon)...].contains(":") {
            // A single colon: this cannot be an IPv6 address.
            address = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        if let port, port.isEmpty || !port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || UInt16(port) == nil { return nil }
        self.init(String(address))
    }

    /// The /24 of an IPv4 address, the /48 of an IPv6 one: too coarse to identify a client.
    var truncated: String {
        if bytes.count == 4 { return bytes[..<3].map(String.init).joined(separator: ".") + ".0/24" }
        return bytes[..<6].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "::/48"
    }

    var network: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return bytes[..<8].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "::/64"
    }
}

/// A single address or a CIDR range.
struct AddressRange: Sendable {
    private let base: IPAddress
    private let bits: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let base = IPAddress(String(first)), parts.count <= 2 else { return nil }
        let most = base.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : most, (0...most).contains(bits) else { return nil }
        self.base = base
        self.bits = bits
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == base.bytes.count else { return false }
        for (index, pair) in zip(address.bytes, base.bytes).enumerated() {
            let covered = min(max(bits - index * 8, 0), 8)
            let mask = covered == 0 ? 0 : UInt8(truncatingIfNeeded: 0xff << (8 - covered))
            if pair.0 & mask != pair.1 & mask { return false }
        }
        return true
    }
}
