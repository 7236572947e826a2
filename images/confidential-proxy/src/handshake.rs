//! The beginning of a connection: what server and client agree on, and who the client is.

use std::time::Duration;

use crate::attributes;
use crate::capabilities::{self, Refused, DEPRECATE_EOF};
use crate::clock;
use crate::packet::{Header, Malformed, ERR, HEADER, OK};
use crate::refusal;
use crate::relay::{End, Flow, Large, Relay, Side};
use crate::rules::Rules;

const AWAY: End = End::Refused(refusal::UNREACHABLE, 0);

/// Pass the server's greeting on, which comes within that time, without what is not understood, and return
/// the capabilities that are left in it.
pub(crate) async fn greet(relay: &mut Relay, limit: Duration) -> Flow<u32> {
    let greeting = clock::within(limit, greeting(relay)).await.unwrap_or(Err(AWAY))?;
    let packet = &mut relay.unread_mut(Side::Server)[..greeting.total()];
    let refused = packet.get(HEADER) == Some(&ERR);
    let offered = match capabilities::mask_greeting(&mut packet[HEADER..]) {
        Ok(offered) => offered,
        Err(Malformed) if refused => 0,
        Err(Malformed) => return Err(End::Refused(refusal::HANDSHAKE, 0)),
    };
    relay.pass(Side::Server, greeting.total()).await?;
    match refused {
        true => Err(End::Gone),
        false => Ok(offered),
    }
}

/// The header of the server's greeting, once it is there.
async fn greeting(relay: &mut Relay) -> Flow<Header> {
    loop {
        if let Some(header) = relay.whole(Side::Server).map_err(|_| End::Refused(refusal::HANDSHAKE, 0))? {
            return Ok(header);
        }
        if !relay.await_server().await? {
            return Err(AWAY);
        }
    }
}

/// Pass the client's answer to the greeting on, without what is not understood, and return whether both
/// sides do without EOF packets, and which number the server's next packet has. Where anything is
/// encrypted, programs that write dumps are refused.
pub(crate) async fn agree(relay: &mut Relay, offered: u32, rules: &Rules) -> Flow<(bool, u8)> {
    let response = loop {
        if let Some(header) = relay.whole(Side::Client).map_err(long_answer)? {
            break header;
        }
        // A silent client is the server's to send away.
        relay.await_either().await?;
    };
    let packet = &mut relay.unread_mut(Side::Client)[..response.total()];
    let granted = capabilities::mask_response(&mut packet[HEADER..]).map_err(|refused| {
        let refusal = match refused {
            Refused::Tls => refusal::TLS,
            Refused::Malformed => refusal::HANDSHAKE,
        };
        End::Refused(refusal, response.sequence.wrapping_add(1))
    })?;
    if !rules.is_empty() && attributes::is_dump(&packet[HEADER..]) {
        return Err(End::Refused(refusal::DUMP, response.sequence.wrapping_add(1)));
    }
    relay.pass(Side::Client, response.total()).await?;
    Ok((granted & offered & DEPRECATE_EOF != 0, response.sequence.wrapping_add(1)))
}

/// What `caching_sha2_password` sends where it wants the password itself.
const FULL_AUTHENTICATION: [u8; 2] = [1, 4];
/// What it sends where it knows the password's digest, and awaits nothing.
const FAST_AUTHENTICATION: [u8; 2] = [1, 3];

/// Pass packets both ways until the server has let the client in, or has not. A client would answer a
/// server that is reached by its socket as it answers one by TCP, which such a server would take for the
/// password.
///
/// Each question of the server's lets one packet of the client's pass, the next one in number. What the
/// client sends without being asked stays unread: it is a command, which the server would answer after the
/// login, and nothing would say that this answer is another command's.
///
/// The server begins with the number `first`. What begins with another one is left of the answer to a
/// command before: a row of it would be taken for the end of the login.
pub(crate) async fn authenticate(relay: &mut Relay, first: u8, by_socket: bool) -> Flow {
    let mut begun = false;
    // Which number the client's answer has, if the server awaits one.
    let mut awaited = None;
    loop {
        while let Some(header) = relay.whole(Side::Server).map_err(long_question)? {
            if !begun && header.sequence != first {
                return relay.unasked(first).await;
            }
            begun = true;
            let payload = &relay.unread(Side::Server)[HEADER..header.total()];
            let kind = payload.first().copied();
            if by_socket && payload == FULL_AUTHENTICATION {
                return Err(End::Refused(refusal::PASSWORD, header.sequence));
            }
            // Commands begin with the number 0.
            awaited = match payload == FAST_AUTHENTICATION {
                true => None,
                false => header.sequence.checked_add(1),
            };
            relay.pass(Side::Server, header.total()).await?;
            match kind {
                Some(OK) => return Ok(()),
                Some(ERR) => return Err(End::Gone),
                _ => {}
            }
        }
        let Some(number) = awaited else {
            if !relay.await_server().await? {
                return Err(End::Gone);
            }
            continue;
        };
        match relay.whole(Side::Client).map_err(long_answer)? {
            Some(header) if header.sequence == number => {
                relay.pass(Side::Client, header.total()).await?;
                awaited = None;
            }
            Some(_) => return Err(End::Refused(refusal::HANDSHAKE, number)),
            None => relay.await_either().await?,
        }
    }
}

/// A packet of the client's is longer than any of a login: an error answers it.
fn long_answer(Large(header): Large) -> End {
    End::Refused(refusal::HANDSHAKE, header.sequence.wrapping_add(1))
}

/// One of the server's is: an error stands in its place.
fn long_question(Large(header): Large) -> End {
    End::Refused(refusal::HANDSHAKE, header.sequence)
}
