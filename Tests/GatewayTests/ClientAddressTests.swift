import HTTPTypes
import Testing

@testable import Gateway

@Suite("Client addresses")
struct ClientAddressTests {
    private static let proxies = ["10.0.0.0/8", "2001:db8:ffff::/48"].compactMap(AddressRange.init)

    @Test(
        "the socket's address counts",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "20010db800010002::/64"),
            ("2001:db8:1:2::", "20010db800010002::/64"), ("::1", "0000000000000000::/64"),
        ])
    func socket(address: String, network: String) throws {
        #expect(try client(address, forwarded: nil) == network)
    }

    @Test("a connection without an address is still someone")
    func unknown() throws {
        #expect(ClientAddress(makeRequest(), makeContext(), trusting: Self.proxies).description == "unknown")
    }

    @Test("X-Forwarded-For from anyone but a trusted proxy is nothing", arguments: ["198.51.100.1", "10.0.0.1", "junk"])
    func untrusted(forwarded: String) throws {
        #expect(try client("192.0.2.7", forwarded: forwarded) == "192.0.2.7")
    }

    @Test(
        "behind trusted proxies the last address that is not theirs counts",
        arguments: [
            ("198.51.100.1", "198.51.100.1"), ("203.0.113.9, 198.51.100.1", "198.51.100.1"),
            ("198.51.100.1, 10.1.2.3, 10.4.5.6", "198.51.100.1"), ("2001:db8:1:2:3:4:5:6,10.1.1.1", "20010db800010002::/64"),
            ("198.51.100.1 ,\t10.1.1.1", "198.51.100.1"), ("10.9.9.9", "10.9.9.9"),
        ])
    func trusted(forwarded: String, network: String) throws {
        #expect(try client("10.0.0.1", forwarded: forwarded) == network)
    }

    @Test(
        "a port beside an address is not part of it",
        arguments: [
            ("198.51.100.1:5678", "198.51.100.1"), ("203.0.113.9:1, 198.51.100.1:65535, 10.1.2.3:443", "198.51.100.1"),
            ("[2001:db8:1:2::7]:99, 10.1.1.1", "20010db800010002::/64"), ("[2001:db8:1:2::7]", "20010db800010002::/64"),
            ("[::ffff:198.51.100.1]:80", "198.51.100.1"),
        ])
    func ports(forwarded: String, network: String) throws {
        #expect(try client("10.0.0.1", forwarded: forwarded) == network)
    }

    @Test(
        "what only looks like an address and a port is none",
        arguments: [
            "198.51.100.1:", "198.51.100.1:x", "198.51.100.1:65536", "198.51.100.1:+80", ":80", "[198.51.100.1]:80", "[::1", "[]:80",
            "[::1]80", "[::1]:", "::1]:80", "[::1]:99999999999999999999",
        ])
    func noPort(forwarded: String) throws {
        #expect(IPAddress(forwarded: forwarded) == nil)
        #expect(try client("10.0.0.1", forwarded: forwarded) == "10.0.0.1")
    }

    @Test(
        "what is no address ends the walk: nothing left of it is believed",
        arguments: [
            "198.51.100.1, junk", "198.51.100.1, 999.1.1.1", "198.51.100.1, unknown",
        ])
    func malformed(forwarded: String) throws {
        #expect(try client("10.0.0.1", forwarded: forwarded) == "10.0.0.1")
    }

    @Test("several headers are one list")
    func repeated() throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .forwardedFor, value: "203.0.113.9"))
        fields.append(HTTPField(name: .forwardedFor, value: "198.51.100.1"))
        let address = ClientAddress(makeRequest(.get, "/", fields), try makeContext(from: "10.0.0.1"), trusting: Self.proxies)
        #expect(address.description == "198.51.100.1")
    }

    private func client(_ socket: String, forwarded: String?) throws -> String {
        var fields = HTTPFields()
        fields[.forwardedFor] = forwarded
        return ClientAddress(makeRequest(.get, "/", fields), try makeContext(from: socket), trusting: Self.proxies).description
    }
}

@Suite("Address ranges")
struct AddressRangeTests {
    @Test(
        "contain what shares their prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2"), ("192.0.2.128/25", "192.0.2.255"), ("192.0.2.7", "192.0.2.7"), ("192.0.2.7/32", "192.0.2.7"),
            ("0.0.0.0/0", "8.8.8.8"), ("10.0.0.0/8", "::ffff:10.1.1.1"), ("2001:db8::/33", "2001:db8:7fff::1"), ("::/0", "::1"),
        ])
    func contains(range: String, address: String) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))))
    }

    @Test(
        "and nothing else",
        arguments: [
            ("10.0.0.0/8", "11.0.0.0"), ("192.0.2.128/25", "192.0.2.127"), ("192.0.2.7", "192.0.2.6"), ("0.0.0.0/0", "::1"),
            ("::/0", "8.8.8.8"),
            ("2001:db8::/33", "2001:db8:8000::1"),
        ])
    func excludes(range: String, address: String) throws {
        #expect(try !#require(AddressRange(range)).contains(try #require(IPAddress(address))))
    }

    @Test(
        "what is no range is refused",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "::/129", "example.org", "10.0.0.0/x",
        ])
    func refuses(text: String) { #expect(AddressRange(text) == nil) }

    @Test(
        "what is no address is refused",
        arguments: ["", "%", "%eth0", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4:80", "[::1]", ":::", "a\0b"])
    func noAddress(text: String) { #expect(IPAddress(text) == nil) }
}
